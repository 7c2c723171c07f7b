/** Editor for schemas and messages. Its large code is loaded on demand; until then the text is shown read-only. */
import { lazy, Suspense } from 'react';
import type { CodeEditorProps } from './code-editor-props.ts';
import css from './CodeEditor.module.css';

const CodeMirrorEditor = lazy(async () => ({ default: (await import('./CodeMirrorEditor.tsx')).CodeMirrorEditor }));

export function CodeEditor(props: CodeEditorProps) {
  const { rows = 10, isFlush = false } = props;
  return (
    <div className={isFlush ? css.flush : css.frame} style={{ minHeight: `${rows * 22 + 16}px` }}>
      <Suspense fallback={<pre className={css.waiting}>{props.value}</pre>}>
        <CodeMirrorEditor {...props} />
      </Suspense>
    </div>
  );
}
