"""Texts that try to run something in a reader's browser, or to put an element of theirs into the page.

Each calls `xss()` where it succeeds, or leaves an element that says `xss` in an attribute or in its text.
"""

RAW = (
    r"""
<script>xss()</script>
<ScRiPt>xss()</sCrIpT>
<script/src=data:,xss()></script>
<script src="data:text/javascript,xss()"></script>
<script type="module">xss()</script>
<script>xss()//
<scr<script>ipt>xss()</scr</script>ipt>
<<script>xss();//<</script>
<script
>xss()</script
>
<img src=x onerror=xss()>
<img src=x onerror="xss()">
<img src='x' onerror='xss()'>
<img/src=x/onerror=xss()>
<img src=x:x onerror=xss()//
<img """
    + '"""'
    + r"""><script>xss()</script>">
<img src onerror=xss()>
<img srcset=x onerror=xss()>
<image src=x onerror=xss()>
<IMG SRC="jav&#x09;ascript:xss()">
<img dynsrc="javascript:xss()">
<svg onload=xss()>
<svg/onload=xss()>
<svg><script>xss()</script></svg>
<svg><script href="data:,xss()"/></svg>
<svg><animate onbegin=xss() attributeName=x dur=1s>
<svg><a xlink:href="javascript:xss()"><text x=20 y=20>x</text></a>
<svg><set attributeName="onload" to="xss()"/></svg>
<svg><foreignObject><iframe srcdoc="<script>parent.xss()</script>"></foreignObject></svg>
<svg><style><img src=x onerror=xss()></style></svg>
<svg></p><style><a id="</style><img src=1 onerror=xss()>">
<math><mtext><table><mglyph><style><img src=x onerror=xss()></style></mglyph></table></mtext></math>
<math><annotation-xml encoding="text/html"><img src=x onerror=xss()></annotation-xml></math>
<math href="javascript:xss()">x</math>
<math><maction actiontype="statusline#http://x" xlink:href="javascript:xss()">x</maction></math>
<iframe src="javascript:xss()"></iframe>
<iframe srcdoc="<script>parent.xss()</script>"></iframe>
<iframe onload=xss()></iframe>
<object data="javascript:xss()"></object>
<object data="data:text/html,<script>parent.xss()</script>"></object>
<embed src="javascript:xss()">
<applet code="x" onerror=xss()></applet>
<base href="javascript:xss()//">
<link rel=stylesheet href="javascript:xss()">
<link rel=preload as=script href=x onerror=xss()>
<meta http-equiv="refresh" content="0;url=javascript:xss()">
<meta http-equiv=refresh content="0;url=data:text/html,<script>xss()</script>">
<style>@import 'javascript:xss()';</style>
<style>body{background:url("javascript:xss()")}</style>
<style onload=xss()></style>
<p style="background:url(javascript:xss())">x</p>
<div style="width:expression(xss())">x</div>
<div style="animation-name:x" onanimationstart=xss()></div>
<body onload=xss()>
<body onpageshow=xss()>
<html onmouseover=xss()>
<input autofocus onfocus=xss()>
<input type=image src=x onerror=xss()>
<select autofocus onfocus=xss()></select>
<textarea autofocus onfocus=xss()></textarea>
<keygen autofocus onfocus=xss()>
<button autofocus onfocus=xss()>x</button>
<button formaction="javascript:xss()">x</button>
<form action="javascript:xss()"><button>x</button></form>
<form><button formaction=javascript:xss()>x</form>
<isindex action="javascript:xss()" type=submit>
<video src=x onerror=xss()></video>
<video><source onerror=xss()></video>
<video poster="javascript:xss()"></video>
<audio src=x onerror=xss()></audio>
<marquee onstart=xss()>x</marquee>
<details open ontoggle=xss()>x</details>
<dialog open onclose=xss()>x</dialog>
<a href="javascript:xss()">x</a>
<a href="JaVaScRiPt:xss()">x</a>
<a href=" javascript:xss()">x</a>
<a href="java&#10;script:xss()">x</a>
<a href="&#106;avascript:xss()">x</a>
<a href="data:text/html,<script>xss()</script>">x</a>
<a href="vbscript:xss()">x</a>
<a onclick=xss() href=#>x</a>
<a href="#" onfocus=xss() autofocus>x</a>
<x onclick=xss() contenteditable tabindex=1 autofocus onfocus=xss()>x</x>
<xss id=x tabindex=1 onfocus=xss()></xss>
<noscript><p title="</noscript><img src=x onerror=xss()>"></noscript>
<template><script>xss()</script></template>
<title><img src=x onerror=xss()></title>
<textarea><img src=x onerror=xss()></textarea></textarea><img src=x onerror=xss()>
<plaintext><img src=x onerror=xss()>
<xmp><img src=x onerror=xss()></xmp></xmp><img src=x onerror=xss()>
<listing>&lt;img onerror=xss() src=x&gt;</listing>
<!--><img src=x onerror=xss()>-->
<!-- --!><img src=x onerror=xss()>
<![CDATA[<img src=x onerror=xss()>]]>
<?xml version="1.0"?><img src=x onerror=xss()>
<!DOCTYPE html><img src=x onerror=xss()>
<comment><img src="</comment><img src=x onerror=xss()//">
<table background="javascript:xss()"><tr><td>x</table>
<table><td><img src=x onerror=xss()></td></table>
<frameset onload=xss()><frame src="javascript:xss()"></frameset>
<slot onslotchange=xss()><p slot=x>x</p></slot>
<custom-element onclick=xss()>x</custom-element>
<p hx-on:load="xss()" hx-get="/" hx-trigger="load" data-hx-on:load="xss()">x</p>
<div hx-get="javascript:xss()" hx-trigger="load">x</div>
<form hx-post="/account/delete/" hx-trigger="load"></form>
</div></section></main><script>xss()</script>
"><script>xss()</script>
'><script>xss()</script>
</textarea><script>xss()</script>
</title><script>xss()</script>
&lt;script&gt;xss()&lt;/script&gt;
&#60;img src=x onerror=xss()&#62;
\x3cscript\x3exss()\x3c/script\x3e
%3Cscript%3Exss()%3C/script%3E
＜script＞xss()＜/script＞
{{ 7*7 }}{% load x %}<script>xss()</script>
${xss()} #{xss()} <%= xss() %>
"""
)

MARKDOWN = [
    "[x](javascript:xss())",
    "[x](JAVASCRIPT:xss())",
    "[x]( javascript:xss())",
    "[x](java\tscript:xss())",
    "[x](java&#10;script:xss())",
    "[x](&#x6A;avascript:xss())",
    "[x](javascript&colon;xss())",
    "[x](<javascript:xss()>)",
    "[x](\x01javascript:xss())",
    "[x](data:text/html;base64,PHNjcmlwdD54c3MoKTwvc2NyaXB0Pg==)",
    "[x](data:image/svg+xml,<svg/onload=xss()>)",
    "[x](vbscript:xss())",
    "[x](file:///etc/passwd)",
    "[x](blob:https://x/y)",
    "[x](view-source:javascript:xss())",
    '[x](https://a.example "onmouseover=xss()")',
    "[x](https://a.example 'x\" onmouseover=\"xss()')",
    '[x](https://a.example"onmouseover="xss())',
    "[x](https://a.example/`onmouseover=xss()`)",
    "[x](https://a.example/<img src=x onerror=xss()>)",
    "[<img src=x onerror=xss()>](https://a.example)",
    "[x][1]\n\n[1]: javascript:xss()",
    "[x][1]\n\n[1]: https://a.example \"x' onmouseover='xss()\"",
    "![x](javascript:xss())",
    "![x](x){onerror=xss()}",
    '![x" onerror="xss()](x)',
    '![x](https://a.example/x.png"onerror="xss())',
    "<javascript:xss()>",
    '<https://a.example/"onmouseover="xss()>',
    "<https://a.example/'><img src=x onerror=xss()>>",
    "`<script>xss()</script>`",
    '``` "><script>xss()</script>\nx\n```',
    "```<img src=x onerror=xss()>\nx\n```",
    "```html\n</code></pre><script>xss()</script>\n```",
    "    <script>xss()</script>",
    "> <script>xss()</script>",
    "* <script>xss()</script>",
    "1. <img src=x onerror=xss()>",
    "# <script>xss()</script>",
    "<script>\n\nxss()\n\n</script>",
    "<div>\n\n**<img src=x onerror=xss()>**\n\n</div>",
    "**<b onclick=xss()>x**</b>",
    '*<a href="*" onclick=xss()>x</a>',
    "~~<s onclick=xss()>~~",
    "| <script>xss()</script> |\n|---|\n| <img src=x onerror=xss()> |",
    "[^1]\n\n[^1]: <script>xss()</script>",
    "{: onclick=xss() }",
    "x {#a onclick=xss()}",
    "<a\nhref=javascript:xss()\n>x</a>",
    "&#x3C;img src=x onerror=xss()&#x3E;",
    "\\<script>xss()\\</script>",
    "<\\script>xss()</script>",
    "<scr\u200bipt>xss()</script>",
    "<img src=x one\u202error=xss()>",
    "<\u0000script>xss()</script>",
    "[x](\u2028javascript:xss())",
    "<a href='java\u0000script:xss()'>x</a>",
    "[a](x)[b](javascript:xss()//)" * 3,
    "[[x](javascript:xss())](https://a.example)",
    "***" * 50 + "<script>xss()</script>",
    "> " * 60 + "<img src=x onerror=xss()>",
]

CLOBBERING = [
    "<form id=xss><input name=action></form>",
    "<img name=getElementById id=xss src=x>",
    "<a id=xss><a id=xss name=url href='clobbered:xss'>",
    "<form name=body id=xss><input name=firstChild></form>",
    "<input form=xss name=csrfmiddlewaretoken value=xss>",
    "<iframe name=xss srcdoc='<a id=y href=data:,1>'></iframe>",
    "<object id=xss><param name=x value=xss></object>",
    "<div id=editor-data class=xss>{}</div>",
    "<script type=application/json id=plot-data class=xss>{}</script>",
]

OF_OUR_SCRIPTS = [
    "<div hx-get=/ hx-trigger=load hx-target=body class=xss></div>",
    "<div data-hx-get=/ data-hx-trigger=load class=xss></div>",
    "<div hx-on::load=xss()></div>",
    "<div hx-on:htmx:load=xss() hx-get=/ hx-trigger=load></div>",
    "<div hx-vals='js:{a: xss()}' hx-get=/ hx-trigger=load></div>",
    "<div hx-headers='javascript:{a: xss()}' hx-post=/account/delete/ hx-trigger=revealed></div>",
    "<div hx-ext=xss hx-swap-oob=true id=content>xss</div>",
    "<div x-data x-init=xss()></div>",
    "<div data-island=xss data-source=javascript:xss()></div>",
    "<meta name=htmx-config content='{\"allowEval\":true}' class=xss>",
]

OF_TEMPLATES = [
    "{% include 'xss' %}",
    "{{ request.session.xss }}",
    "{% debug %}{{ settings.SECRET_KEY }}{# xss #}",
    "{{constructor.constructor('xss()')()}}",
    "{{xss()}}[[xss()]]",
    "[[= time-to-train.seconds() ]]<img src=x onerror=xss()>",
    "/// figure | xss\n<img src=x onerror=xss()>\n///",
    "/// details | <img src=x onerror=xss()>\nx\n///",
    "$\\href{javascript:xss()}{x}$",
    "$$\n\\class{xss}{\\text{<img src=x onerror=xss()>}}\n$$",
    '!!! note "<img src=x onerror=xss()>"\n    xss',
    "```python run\nxss()\n```",
]

MUTATED = [
    "<svg><p><style><g title='</style><img src=x onerror=xss()>'>",
    "<math><mi></mi><mglyph><svg><mtext><style><path id='</style><img onerror=xss() src>'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=xss()>",
    "<table><tr><td><svg><desc><![CDATA[</desc><script>xss()</script>]]></svg>",
    "<noembed><img src=x title='</noembed><img src=x onerror=xss()>'>",
    "<style><!--</style><script>xss()//--></script>",
    "<select><template><img src=x onerror=xss()></template></select>",
    "<option><style></option></select><img src=x onerror=xss()></style>",
    "`<a href='`' onclick=xss()>x</a>",
    "<p id='\u2028</p><img src=x onerror=xss()>'>",
    "<b>" * 200 + "<img src=x onerror=xss()>",
]

ENCODED = [
    "\ufeff<script>xss()</script>",
    "<\u017fcript>xss()</\u017fcript>",
    "<\u0131mg src=x onerror=xss()>",
    "\u202e<img src=x onerror=xss()>\u202c",
    "\ufdd0<img src=x onerror=xss()>",
    "+ADw-script+AD4-xss()+ADw-/script+AD4-",
    "\u00bcscript\u00bexss()\u00bc/script\u00be",
    "\u3008img src=x onerror=xss()\u3009",
    "<img/\x0bsrc=x\x0conerror=xss()>",
    "<img src=x\u00a0onerror=xss()>",
    "\x1b[31m<img src=x onerror=xss()>\x1b]8;;javascript:xss()\x07x",
    "\x00\x01\x02<img src=x onerror=xss()>",
    "\ufffd\ufffd<script>xss()</script>",
    "%253Cscript%253Exss()%253C/script%253E",
    "&amp;lt;img src=x onerror=xss()&amp;gt;",
    "\\u003cimg src=x onerror=xss()\\u003e",
    "</script><script>xss()</script>",
    "<!--<script></script><script>xss()</script>-->",
    "]]><script>xss()</script>",
    "';xss();'",
    '";xss();//',
    "*/xss();/*",
    "`${xss()}`",
    "'-xss()-'",
    " onfocus=xss() autofocus x=",
    '" onfocus=xss() autofocus tabindex=1 x="',
    "' onfocus=xss() autofocus tabindex=1 x='",
    "javascript:xss()",
    "data:text/html,<script>xss()</script>",
    "//xss.example/",
]

PAYLOADS = [
    *(line for line in RAW.strip().split("\n") if line),
    *MARKDOWN,
    *CLOBBERING,
    *OF_OUR_SCRIPTS,
    *OF_TEMPLATES,
    *MUTATED,
    *ENCODED,
]

BYTES = [
    b"<img src=x onerror=xss()>\xff\xfe",
    b"\xc0\xbcscript\xc0\xbexss()\xc0\xbc/script\xc0\xbe",
    b"\xe0\x80\xbcimg src=x onerror=xss()>",
    b"\xff\xfe<\x00s\x00c\x00r\x00i\x00p\x00t\x00>\x00",
    b"\x00<script>xss()</script>\x00",
    b"\xed\xa0\x80<img src=x onerror=xss()>",
    b"x = '\xc3<script>xss()</script>",
]
"""What is no UTF-8, for where bytes are taken: files, queries, bodies."""
