// The row of facts in a header strip. On phones two columns: `isWide` facts span both, `isWideOnly` facts are hidden.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Copy } from '../text/Copy.tsx';
import css from './Details.module.css';

export interface Detail {
  label: string;
  value: ReactNode;
  /** Adds a copy button for this text. */
  copyText?: string;
  isWide?: boolean;
  isWideOnly?: boolean;
}

export function Details({ items }: { items: Detail[] }) {
  return (
    <dl className={css.details}>
      {items.map((item) => (
        <div key={item.label} className={classNames(item.isWide && css.full, item.isWideOnly && 'only-wide')}>
          <dt>{item.label}</dt>
          <dd>
            {item.copyText === undefined ? item.value : <span className="ell">{item.value}</span>}
            {item.copyText !== undefined && <Copy text={item.copyText} what={item.label === 'URL' ? 'URL' : item.label.toLowerCase()} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
