/** The text of an empty list: what the resource is for, and one line of code or a command that uses it. */
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import css from './FirstUse.module.css';

export interface FirstUseProps {
  /** Says in a sentence or two why people create one. */
  purpose: string;
  /** Says where the line is used. */
  label: string;
  code: string;
}

export function FirstUse({ purpose, label, code }: FirstUseProps) {
  return (
    <>
      <p>{purpose}</p>
      <div className={css.example}>
        <p className="meta">{label}</p>
        <CommandLine command={code} />
      </div>
    </>
  );
}
