// The resources that a quickstart will create. The same rows then show progress, and finally links.
import type { ReactNode } from 'react';
import { Link } from '../layout/Link.tsx';
import css from './MadeList.module.css';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import type { StepState } from '../figures/Steps.tsx';
import { STEP_TONE, STEP_WORD } from '../figures/Steps.tsx';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

export interface MadeItem {
  key: string;
  /** Type of the resource ("Repository"). */
  label: string;
  /** Name or address of the resource; the `highlight` part is emphasized while the user types. */
  value: string;
  highlight?: string;
  note?: ReactNode;
  /** Icon instead of a mark, before the start. */
  icon?: ReactNode;
  state?: StepState;
  time?: ReactNode;
  /** Makes the value a link, once the resource exists. */
  href?: string;
}

function Value({ value, highlight }: Pick<MadeItem, 'value' | 'highlight'>) {
  if (!highlight) return value;
  return value.split(highlight).flatMap((part, index) => (index === 0 ? [part] : [<em key={index}>{highlight}</em>, part]));
}

export function MadeList({ items, label }: { items: MadeItem[]; label?: string }) {
  return (
    <ol className={css.made} aria-label={label}>
      {items.map((item) => (
        <li key={item.key} data-state={item.state}>
          {item.state === undefined ? (
            <span className={css.icon}>{item.icon}</span>
          ) : (
            <StatusIcon tone={STEP_TONE[item.state]} className={css.mark} />
          )}
          <div className={css.words}>
            <span className="meta">
              {item.label}
              {item.state !== undefined && <VisuallyHidden>, {STEP_WORD[item.state]}</VisuallyHidden>}
            </span>
            <div className={css.value}>
              {item.href === undefined ? (
                <Value value={item.value} highlight={item.highlight} />
              ) : (
                <Link href={item.href}>{item.value}</Link>
              )}
            </div>
            {item.note !== undefined && <p className="meta">{item.note}</p>}
          </div>
          <span className="meta num">{item.time}</span>
        </li>
      ))}
    </ol>
  );
}
