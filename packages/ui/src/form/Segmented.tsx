// A visible choice of two to four short options: radio buttons, or links if the URL holds the choice.
import type { ReactNode } from 'react';
import { useId } from 'react';
import { Link } from '../layout/Link.tsx';
import { useCurrentInView } from '../layout/use-current-in-view.ts';
import css from './Segmented.module.css';

export interface Segment<Value extends string> {
  value: Value;
  label: ReactNode;
  /** Explain next to the choice why it is disabled. */
  isDisabled?: boolean;
}

export interface SegmentedProps<Value extends string> {
  label: string;
  options: Segment<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  name?: string;
  isDisabled?: boolean;
}

export function Segmented<Value extends string>({ label, options, value, onChange, name, isDisabled }: SegmentedProps<Value>) {
  const ownName = useId();
  return (
    <div className={css.segmented} role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value} className={css.segment}>
          <input
            type="radio"
            name={name ?? ownName}
            value={option.value}
            checked={option.value === value}
            disabled={isDisabled || option.isDisabled}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

export function SegmentedLinks({ label, items }: { label: string; items: { label: ReactNode; href: string; isCurrent?: boolean }[] }) {
  const current = items.find(({ isCurrent }) => isCurrent)?.href;
  const list = useCurrentInView<HTMLElement>(current, String(items.length));
  return (
    <nav ref={list} className={css.segmented} aria-label={label}>
      {items.map((item) => (
        <Link key={item.href} className={css.segment} href={item.href} aria-current={item.isCurrent ? 'true' : undefined}>
          {item.label}
        </Link>
      ))}
    </nav>
  );
}
