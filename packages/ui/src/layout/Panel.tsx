// The only box component. Head, body and foot are optional; a table goes directly into the panel.
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import css from './Panel.module.css';

export function Panel({ className, ...rest }: ComponentProps<'section'>) {
  return <section className={classNames(css.panel, className)} {...rest} />;
}

export interface PanelHeadProps {
  title?: ReactNode;
  /** Pass it to the panel as `aria-labelledby`. */
  titleId?: string;
  level?: 2 | 3;
  /** Muted text after the title. */
  note?: ReactNode;
  /** Controls at the right, 28 px high here. */
  children?: ReactNode;
}

export function PanelHead({ title, titleId, level = 2, note, children }: PanelHeadProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className={css.head}>
      {title !== undefined && <Heading id={titleId}>{title}</Heading>}
      {note !== undefined && <span className="meta">{note}</span>}
      {children !== undefined && <div className={css.end}>{children}</div>}
    </div>
  );
}

export function PanelBody({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={classNames(css.body, className)} {...rest} />;
}

export function PanelFoot({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={classNames(css.foot, className)} {...rest} />;
}
