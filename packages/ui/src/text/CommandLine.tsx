// A command to run in a terminal, with its copy button.
import css from './CommandLine.module.css';
import { Copy } from './Copy.tsx';

export function CommandLine({ command, onCopied }: { command: string; onCopied?: () => void }) {
  return (
    <div className={css.line}>
      <code className={css.code}>{command}</code>
      <Copy text={command} what="command" {...(onCopied ? { onCopied } : {})} />
    </div>
  );
}
