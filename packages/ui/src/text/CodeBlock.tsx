// Several lines of code with a copy button. Long lines wrap, so nothing scrolls sideways.
import css from './CodeBlock.module.css';
import { Copy } from './Copy.tsx';

export interface CodeBlockProps {
  code: string;
  /** Name of the copied text, as in "Copy statement". */
  what: string;
}

export function CodeBlock({ code, what }: CodeBlockProps) {
  return (
    <div className={css.block}>
      <pre className={css.code}>{code}</pre>
      <Copy text={code} what={what} />
    </div>
  );
}
