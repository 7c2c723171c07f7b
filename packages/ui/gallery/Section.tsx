// A titled part of the gallery.
import type { ReactNode } from 'react';
import { classNames } from '../src/class-names.ts';
import css from './Gallery.module.css';

export function Section({ title, width, children }: { title: string; width?: 'third' | 'full'; children: ReactNode }) {
  return (
    <section className={classNames(css.section, width && css[width])}>
      <h2 className={css.title}>{title}</h2>
      {children}
    </section>
  );
}

export function Sample({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <div>
      {children}
      <div className={css.cap}>{caption}</div>
    </div>
  );
}
