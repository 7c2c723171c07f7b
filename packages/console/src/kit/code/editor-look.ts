/** The editor's theme in the page's colors: custom properties reach into its shadow root. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'transparent', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '400 13px/22px var(--mono)', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 16px 0 4px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 12px 0 4px', minWidth: '30px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-issueGutter': { width: '22px' },
  '.cm-issueGutter .cm-gutterElement': { display: 'grid', placeItems: 'center' },
  '.cm-issueMark': { width: '9px', height: '9px', backgroundColor: 'var(--bad)' },
  '.cm-issueMark[data-tone="warn"]': { backgroundColor: 'var(--warn)', borderRadius: '5px' },
  '.cm-badLine': {
    backgroundColor: 'color-mix(in srgb, var(--bad-soft) 60%, var(--surface))',
    boxShadow: 'inset 3px 0 0 var(--bad)',
  },
  '.cm-warnLine': {
    backgroundColor: 'color-mix(in srgb, var(--warn-soft) 60%, var(--surface))',
    boxShadow: 'inset 3px 0 0 var(--warn)',
  },
  '.cm-lintRange': { backgroundImage: 'none', padding: '0' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--bad) 1px', textUnderlineOffset: '4px' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--warn) 1px', textUnderlineOffset: '4px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    font: '400 14px/20px var(--sans)',
  },
  '.cm-diagnostic': { padding: '6px 10px', borderLeft: 'none' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword, tags.definitionKeyword], color: 'var(--ink)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--accent)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
]);

export const editorLook: Extension = [theme, syntaxHighlighting(highlight)];
