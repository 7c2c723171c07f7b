// Several lines of code as they are, with their copy button. Long lines wrap: nothing scrolls sideways.
import css from './CodeBlock.module.css';
import { Copy } from './Copy.tsx';

export interface CodeBlockProps {
  code: string;
  /** What is copied, as in "Copy statement". */
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
