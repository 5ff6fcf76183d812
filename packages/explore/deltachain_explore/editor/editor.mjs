// The editor of the explorer's page, on CodeMirror 6. build.sh makes editor.js of the templates from it.
import { EditorState, Compartment } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, highlightActiveLine, drawSelection } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting, indentUnit, bracketMatching } from "@codemirror/language";
import { python } from "@codemirror/lang-python";
import { json } from "@codemirror/lang-json";
import { setDiagnostics, lintGutter } from "@codemirror/lint";
import { tags } from "@lezer/highlight";

// Colours are variables of the page, so that light and dark follow it.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: "var(--blue)" },
  { tag: [tags.string, tags.number, tags.bool], color: "var(--good)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.variableName), tags.meta], color: "var(--orange)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);
const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--ground)", fontSize: ".86rem" },
  ".cm-content": { fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', caretColor: "var(--text)" },
  ".cm-scroller": { minHeight: "18rem", maxHeight: "60vh", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused": { outline: "3px solid var(--blue)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--grid)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-diagnostic": { borderLeftColor: "var(--bad)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
});

// An editor in an element: read, write, show errors at lines, go to a line.
export const editor = (parent, label, nonce, changed) => {
  const language = new Compartment();
  const labelled = new Compartment();
  const naming = (text) => EditorView.contentAttributes.of({ "aria-label": text });
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorView.cspNonce.of(nonce), lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), lintGutter(),
        indentUnit.of("    "), keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        syntaxHighlighting(colours), theme, language.of(json()), labelled.of(naming(label)),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    }),
  });
  view.scrollDOM.tabIndex = 0; // who has no mouse can scroll it
  return {
    text: () => view.state.doc.toString(),
    write: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    speak: (kind, text) => view.dispatch({
      effects: [language.reconfigure(kind === "program" ? python() : json()), labelled.reconfigure(naming(text))],
    }),
    mark: (errors) => view.dispatch(setDiagnostics(view.state, errors
      .filter((error) => error.line >= 1 && error.line <= view.state.doc.lines)
      .map((error) => {
        const line = view.state.doc.line(error.line);
        return { from: line.from, to: line.to, severity: "error", message: error.what };
      }))),
    go: (number) => {
      const line = view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
      view.dispatch({ selection: { anchor: line.from, head: line.to }, scrollIntoView: true });
      view.focus();
    },
  };
};
