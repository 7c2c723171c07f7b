// A command to run in a terminal, with its copy button.
import css from './CommandLine.module.css';
import { Copy } from './Copy.tsx';

export function CommandLine({ command }: { command: string }) {
  return (
    <div className={css.line}>
      <code className={css.code}>{command}</code>
      <Copy text={command} what="command" />
    </div>
  );
}
