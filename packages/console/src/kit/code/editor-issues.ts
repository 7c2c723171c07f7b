/** Issues in the editor: marks the line and its number, underlines the text, and F8 jumps to the next issue. */
import { forEachDiagnostic, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { RangeSet, type EditorState, type Extension, type TransactionSpec } from '@codemirror/state';
import { Decoration, EditorView, gutter, GutterMarker, keymap } from '@codemirror/view';
import type { CodeIssue } from './code-editor-props.ts';

/** Marks the line's text without its indentation. */
const diagnosticOf = (state: EditorState, { line, message, tone }: CodeIssue): Diagnostic => {
  const { from, to, text } = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
  return { from: from + (text.length - text.trimStart().length), to, message, severity: tone === 'bad' ? 'error' : 'warning' };
};

export const issuesOf = (state: EditorState, issues: readonly CodeIssue[]): TransactionSpec =>
  setDiagnostics(
    state,
    issues.map((issue) => diagnosticOf(state, issue)),
  );

/** Returns the start of each line with an issue and whether the worst issue is an error, in order. */
const markedLines = (state: EditorState): [from: number, isBad: boolean][] => {
  const found = new Map<number, boolean>();
  forEachDiagnostic(state, ({ severity }, from) => {
    const line = state.doc.lineAt(from).from;
    found.set(line, found.get(line) === true || severity === 'error');
  });
  return [...found].toSorted(([a], [b]) => a - b);
};

class IssueMark extends GutterMarker {
  readonly isBad: boolean;
  constructor(isBad: boolean) {
    super();
    this.isBad = isBad;
  }
  override eq(other: IssueMark): boolean {
    return this.isBad === other.isBad;
  }
  override toDOM(): HTMLElement {
    const mark = document.createElement('span');
    mark.className = 'cm-issueMark';
    mark.dataset['tone'] = this.isBad ? 'bad' : 'warn';
    return mark;
  }
}
const badMark = new IssueMark(true);
const warnMark = new IssueMark(false);
const badLine = Decoration.line({ class: 'cm-badLine' });
const warnLine = Decoration.line({ class: 'cm-warnLine' });

export const editorIssues: Extension = [
  gutter({
    class: 'cm-issueGutter',
    markers: ({ state }) => RangeSet.of(markedLines(state).map(([from, isBad]) => (isBad ? badMark : warnMark).range(from))),
    initialSpacer: () => badMark,
  }),
  EditorView.decorations.of(({ state }) =>
    Decoration.set(markedLines(state).map(([from, isBad]) => (isBad ? badLine : warnLine).range(from))),
  ),
  keymap.of(lintKeymap),
];
