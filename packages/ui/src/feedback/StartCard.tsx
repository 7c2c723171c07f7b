// A way to start, on a first-use page: what the user gets, as a list, and the button.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import css from './StartCard.module.css';

export interface StartCardProps {
  title: ReactNode;
  children: ReactNode;
  gets?: { icon?: ReactNode; text: ReactNode }[];
  action: ReactNode;
  /** The recommended option; at most one per page. */
  isMain?: boolean;
}

export function StartCard({ title, children, gets = [], action, isMain = false }: StartCardProps) {
  return (
    <section className={classNames(css.card, isMain && css.main)}>
      <h2>{title}</h2>
      <p className={css.text}>{children}</p>
      {gets.length > 0 && (
        <ul className={css.gets}>
          {gets.map(({ icon, text }, index) => (
            <li key={index}>
              {icon}
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
      <div className={css.action}>{action}</div>
    </section>
  );
}
