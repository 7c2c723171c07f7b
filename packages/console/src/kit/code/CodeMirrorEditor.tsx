/**
 * CodeMirror as a React field. It is in a shadow root, where CodeMirror uses constructed style sheets, which the content security policy
 * allows; it blocks style elements in the page. Tab indents; Escape followed by Tab leaves the editor.
 */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, indentUnit, StreamLanguage } from '@codemirror/language';
import { protobuf } from '@codemirror/legacy-modes/mode/protobuf';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react';
import type { CodeEditorProps, CodeLanguage } from './code-editor-props.ts';
import { editorIssues, issuesOf } from './editor-issues.ts';
import { editorLook } from './editor-look.ts';

/** Specification §9: the editor's history holds 100 entries. */
const historyEntries = 100;

const languages: Readonly<Record<CodeLanguage, () => Extension>> = {
  json,
  protobuf: () => StreamLanguage.define(protobuf),
};
/** Leaves ⌘Enter to the form around the editor, which submits with it. */
const keys = [...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap, indentWithTab];

const attributes = (label: string, isReadOnly: boolean): Extension => [
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-multiline': 'true',
    spellcheck: 'false',
    autocapitalize: 'off',
    ...(isReadOnly ? { 'aria-readonly': 'true', tabindex: '0' } : {}),
  }),
  EditorState.readOnly.of(isReadOnly),
  EditorView.editable.of(!isReadOnly),
];

export function CodeMirrorEditor(props: CodeEditorProps) {
  const { ref, label, value, onChange, onBlur, language, issues = [], isReadOnly = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [settings] = useState(() => new Compartment());
  const changed = useEffectEvent((text: string) => text !== value && onChange(text));
  const left = useEffectEvent(() => onBlur?.());
  const firstValue = useRef(value);
  useEffect(() => {
    const { current } = host;
    if (!current) return;
    const root = current.shadowRoot ?? current.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: firstValue.current,
        extensions: [
          editorIssues,
          lineNumbers(),
          history({ minDepth: historyEntries }),
          drawSelection(),
          indentOnInput(),
          indentUnit.of('  '),
          bracketMatching(),
          EditorView.lineWrapping,
          keymap.of(keys),
          editorLook,
          settings.of([]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
            if (update.focusChanged && !update.view.hasFocus) left();
          }),
        ],
      }),
    });
    setView(made);
    return () => made.destroy();
  }, [settings]);
  useEffect(() => {
    view?.dispatch({ effects: settings.reconfigure([languages[language](), attributes(label, isReadOnly)]) });
  }, [view, settings, language, label, isReadOnly]);
  useEffect(() => {
    const text = view?.state.doc.toString();
    if (view && text !== value) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [view, value]);
  useEffect(() => {
    if (view) view.dispatch(issuesOf(view.state, issues));
  }, [view, issues]);
  useImperativeHandle(
    ref,
    () => ({
      focus: () => view?.focus(),
      showLine: (line) => {
        if (!view) return;
        const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
        view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
        view.focus();
      },
    }),
    [view],
  );
  return <div ref={host} />;
}
