// An outlined fact ("User secret", "node-web"): neither a status nor an action.
import type { ReactNode } from 'react';
import css from './Tag.module.css';

export function Tag({ children }: { children: ReactNode }) {
  return <span className={css.tag}>{children}</span>;
}
