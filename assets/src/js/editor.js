// Upgrades <textarea data-editor="python"> to CodeMirror. The textarea stays the truth: forms post it, and without script it is the editor.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Draft } from "./draft.js";
import { marksFor } from "./marks.js";
import { recall, remember } from "./store.js";

const SIZES = [12, 13, 14, 15, 16, 18, 20, 24];

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self, tags.bool, tags.null], color: "var(--c-key)", fontWeight: "550" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--c-str)" },
  { tag: [tags.number], color: "var(--c-num)" },
  { tag: [tags.definition(tags.variableName), tags.definition(tags.className), tags.function(tags.definition(tags.variableName)), tags.meta], color: "var(--c-def)" },
  { tag: [tags.comment], color: "var(--c-note)", fontStyle: "italic" },
  { tag: [tags.invalid], color: "var(--peak)" },
]);

const look = EditorView.theme({
  "&": { containerType: "inline-size", backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "var(--round)" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--code)", lineHeight: "1.55", fontVariantLigatures: "none" },
  ".cm-content": { caretColor: "var(--ink)", paddingBlock: ".6rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--sheet)", color: "var(--ink-3)", borderRight: "1px solid var(--rule)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sheet) 70%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--mark)", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--select)" },
  ".cm-line.cm-marked": { backgroundColor: "var(--bad-sheet)", boxShadow: "inset 3px 0 var(--peak)" },
  ".cm-line.cm-marked.way": { backgroundColor: "var(--warn-sheet)", boxShadow: "inset 3px 0 var(--warn)" },
  ".cm-gutterElement.cm-marked-number": { color: "var(--peak)", fontWeight: "650" },
  ".cm-mark-message": { backgroundColor: "var(--bad-sheet)", boxShadow: "inset 3px 0 var(--peak)", color: "var(--ink)", font: "400 .86rem/1.45 var(--ui)", padding: ".1rem .6rem .35rem .9rem", whiteSpace: "normal", overflowWrap: "anywhere", position: "sticky", left: "2.2rem", maxWidth: "min(44rem, calc(100cqi - 3.2rem))" },
  ".cm-mark-message.way": { backgroundColor: "var(--warn-sheet)", boxShadow: "inset 3px 0 var(--warn)" },
  ".cm-selectionMatch": { backgroundColor: "var(--mark)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--mark)", outline: "1px solid var(--edge)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-sheet)", outline: "1px solid var(--warn)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--mark)" },
  ".cm-panels": { backgroundColor: "var(--sheet)", color: "var(--ink)", fontFamily: "var(--ui)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--rule)" },
  ".cm-panel.cm-search": { padding: ".5rem .6rem", fontSize: ".9rem" },
  ".cm-textfield": { backgroundColor: "var(--paper)", border: "1px solid var(--edge)", fontSize: ".9rem" },
  ".cm-panel .cm-textfield": { width: "14rem", minHeight: "2rem" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--paper)", border: "1px solid var(--edge)", borderRadius: "3px", padding: ".25rem .6rem" },
});

function sized(size) {
  return EditorView.theme({ ".cm-scroller": { fontSize: `${size}px` } });
}

function button(label, name, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn quiet small";
  made.textContent = label;
  made.setAttribute("aria-label", name);
  made.title = name;
  made.addEventListener("click", act);
  return made;
}

function upgrade(area) {
  if (area.dataset.editorReady) return;
  area.dataset.editorReady = "true";
  const label = area.labels?.[0];
  const font = new Compartment();
  let size = Number(recall("font-size")) || 14;
  const hint = Object.assign(document.createElement("p"), {
    className: "editor-hint",
    id: `${area.id || "editor"}-hint`,
    textContent: "Tab indents. To leave the editor, press Esc, then Tab.",
  });
  const resize = (step) => {
    const at = SIZES.findIndex((one) => one >= size);
    size = SIZES[Math.min(SIZES.length - 1, Math.max(0, (at < 0 ? 2 : at) + step))];
    remember("font-size", String(size));
    view.dispatch({ effects: font.reconfigure(sized(size)) });
  };
  const marks = marksFor(area);
  const view = new EditorView({
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        python(),
        syntaxHighlighting(colours),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
        EditorView.cspNonce.of(document.querySelector("meta[name=csp-nonce]")?.content ?? ""),
        EditorView.contentAttributes.of({
          "aria-label": label?.textContent.trim() || area.getAttribute("aria-label") || "Code",
          "aria-describedby": hint.id,
          tabindex: "0",
        }),
        EditorView.editable.of(!area.readOnly),
        EditorState.readOnly.of(area.readOnly),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          area.value = update.state.doc.toString();
          area.dispatchEvent(new Event("input", { bubbles: true }));
        }),
        marks.extension,
        look,
        font.of(sized(size)),
      ],
    }),
  });
  // One undo takes a replacement back, whatever was typed just before it.
  const replace = (text) =>
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, annotations: isolateHistory.of("full") });

  const tools = document.createElement("div");
  tools.className = "editor-tools";
  tools.append(
    button("A−", "Smaller code", () => resize(-1)),
    button("A+", "Larger code", () => resize(1)),
    hint,
  );
  area.before(tools);
  area.after(view.dom);
  area.hidden = true;
  label?.addEventListener("click", () => view.focus());
  marks.attach(view);

  const draft = area.dataset.draftUrl && !area.readOnly ? new Draft(area, tools, replace) : null;
  for (const reset of document.querySelectorAll("[data-reset]")) {
    const starter = document.getElementById(reset.dataset.reset);
    if (!starter) continue;
    reset.hidden = false;
    reset.addEventListener("click", (event) => {
      event.preventDefault();
      // A change like any other: undo brings the code back, and so does what is kept aside, on a later visit too.
      const text = starter.content?.textContent ?? starter.textContent;
      if (draft) draft.replaceWhole(text);
      else replace(text);
      draft?.say("The starter is back. Undo (Ctrl+Z) returns your code; it is kept below the editor too.");
      view.focus();
    });
  }
  return draft;
}

const drafts = [...document.querySelectorAll("textarea[data-editor]")].map(upgrade).filter(Boolean);

function press(selector) {
  const found = document.querySelector(selector);
  if (found && !found.disabled) found.click();
  return Boolean(found);
}

document.addEventListener(
  "keydown",
  (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || recall("keys") === "off") return;
    let taken = false;
    if (event.key === "Enter") taken = press(event.shiftKey ? "[data-submit]" : "[data-run]");
    else if (event.key.toLowerCase() === "s" && !event.shiftKey) {
      for (const draft of drafts) draft.save();
      taken = drafts.length > 0;
    }
    if (!taken) return;
    event.preventDefault();
    event.stopPropagation();
  },
  { capture: true },
);
