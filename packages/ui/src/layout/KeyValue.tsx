// Facts of a side panel: label at the left, value at the right.
import type { ReactNode } from 'react';
import { Fragment } from 'react';
import css from './KeyValue.module.css';

export interface Fact {
  label: ReactNode;
  value: ReactNode;
  /** Required only if the label is not a string. */
  key?: string;
}

export function KeyValue({ items }: { items: Fact[] }) {
  return (
    <dl className={css.list}>
      {items.map(({ label, value, key }, index) => (
        <Fragment key={key ?? (typeof label === 'string' ? label : index)}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
