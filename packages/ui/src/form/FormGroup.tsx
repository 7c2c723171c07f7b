// A box of settings: rows with the fields at the left and help text next to them, or below on narrow screens.
import type { ReactNode } from 'react';
import css from './FormGroup.module.css';

export interface FormGroupProps {
  title: ReactNode;
  /** Anchor for the section list. */
  id?: string;
  children: ReactNode;
}

export function FormGroup({ title, id, children }: FormGroupProps) {
  return (
    <section className={css.section} aria-labelledby={id}>
      <h2 className={css.title} id={id}>
        {title}
      </h2>
      <div className={css.group}>{children}</div>
    </section>
  );
}

export function FormRow({ help, children }: { help?: ReactNode; children: ReactNode }) {
  return (
    <div className={css.row}>
      <div className={css.fields}>{children}</div>
      {help !== undefined && <div className={css.help}>{help}</div>}
    </div>
  );
}
