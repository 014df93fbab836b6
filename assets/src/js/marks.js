// Lines that the last verdict names: marked in the editor, their message below them, listed under it, gone once edited.
import { Prec, RangeSet, StateField } from "@codemirror/state";
import { Decoration, EditorView, gutterLineClass, GutterMarker, keymap, WidgetType } from "@codemirror/view";

class Message extends WidgetType {
  constructor(text, way) {
    super();
    this.text = text;
    this.way = way;
  }

  eq(other) {
    return other.text === this.text && other.way === this.way;
  }

  toDOM() {
    const made = document.createElement("div");
    made.className = this.way ? "cm-mark-message way" : "cm-mark-message";
    made.textContent = this.text;
    return made;
  }
}

const gutter = new (class extends GutterMarker {
  elementClass = "cm-marked-number";
})();

const field = StateField.define({
  create: () => [],
  // A mark moves with its line, and goes once the line is no longer what the verdict spoke of.
  update(marks, transaction) {
    if (!transaction.docChanged) return marks;
    return marks
      .map((mark) => ({ ...mark, from: transaction.changes.mapPos(mark.from, 1) }))
      .filter((mark) => {
        const line = transaction.newDoc.lineAt(mark.from);
        return line.from === mark.from && line.text === mark.code;
      });
  },
  provide: (self) => [
    EditorView.decorations.from(self, (marks) =>
      Decoration.set(
        marks.flatMap(({ from, code, text, way }) => [
          Decoration.line({ class: way ? "cm-marked way" : "cm-marked" }).range(from),
          Decoration.widget({ widget: new Message(text, way), block: true, side: 1 }).range(from + code.length),
        ]),
        true,
      ),
    ),
    gutterLineClass.from(self, (marks) => RangeSet.of(marks.map(({ from }) => gutter.range(from)), true)),
  ],
});

function go(view, mark) {
  view.dispatch({
    selection: { anchor: mark.from + (mark.code.length - mark.code.trimStart().length) },
    effects: [EditorView.scrollIntoView(mark.from, { y: "center" }), EditorView.announce.of(`Line ${view.state.doc.lineAt(mark.from).number}: ${mark.text}`)],
  });
  view.focus();
  return true;
}

function jump(view, step) {
  const marks = view.state.field(field);
  if (!marks.length) return false;
  const here = view.state.doc.lineAt(view.state.selection.main.head).from;
  const after = step > 0 ? marks.find((mark) => mark.from > here) : marks.findLast((mark) => mark.from < here);
  return go(view, after ?? marks.at(step > 0 ? 0 : -1));
}

/** The extension for the marks that the page lists for `area`; they are read before the editor is made. */
export function marksFor(area) {
  const list = document.querySelector(`[data-marks="${area.id}"]`);
  if (!list) return { extension: [], attach: () => {} };
  const items = [...list.querySelectorAll("[data-line]")];

  const initial = (state) =>
    items
      .filter((item) => Number(item.dataset.line) <= state.doc.lines)
      .map((item) => {
        const line = state.doc.line(Number(item.dataset.line));
        return { from: line.from, code: line.text, text: item.querySelector("span").textContent, way: "way" in item.dataset, item };
      });
  // The list follows: the line's number where it moved, and nothing of a mark that is gone.
  const follow = (state) => {
    const marks = state.field(field);
    for (const item of items) {
      const mark = marks.find((one) => one.item === item);
      item.hidden = !mark;
      if (mark) item.querySelector("button").textContent = `Line ${state.doc.lineAt(mark.from).number}`;
    }
    list.hidden = !marks.length;
  };
  return {
    extension: [
      field.init(initial),
      Prec.high(keymap.of([{ key: "F8", run: (view) => jump(view, 1), shift: (view) => jump(view, -1) }])),
      EditorView.updateListener.of((update) => update.docChanged && follow(update.state)),
    ],
    attach(view) {
      for (const item of items) {
        const button = Object.assign(document.createElement("button"), { type: "button", className: "linkish" });
        button.addEventListener("click", () => {
          const mark = view.state.field(field).find((one) => one.item === item);
          if (mark) go(view, mark);
        });
        item.querySelector("b").replaceChildren(button);
      }
      list.append(Object.assign(document.createElement("p"), { className: "sub", textContent: "F8 goes to the next marked line, Shift+F8 to the one before. A mark goes when its line is edited." }));
      follow(view.state);
    },
  };
}
