/** Form fields for users who may change them. For others, the fields are read-only with the reason above. */
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import type { ReactNode } from 'react';
import css from './FieldsFor.module.css';

export interface FieldsForProps {
  /** Group label for screen readers. */
  legend: string;
  /** Why the fields are read-only. */
  reason: string | undefined;
  children: ReactNode;
}

export function FieldsFor({ legend, reason, children }: FieldsForProps) {
  return (
    <>
      {reason !== undefined && (
        <Notice tone="warn" isLive>
          {reason}
        </Notice>
      )}
      <fieldset className={`stack stack-24 ${css.fields}`} disabled={reason !== undefined}>
        <legend className="sr">{legend}</legend>
        {children}
      </fieldset>
    </>
  );
}
