/** Form fields for users who may change them. For others, the fields are read-only with the reason above. */
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import type { ReactNode } from 'react';
import css from './FieldsFor.module.css';

export interface FieldsForProps {
  /** Group label for screen readers. */
  legend: string;
  /** Why the fields are read-only. */
  reason: string | undefined;
  /** `run` if the reason is a change in progress. */
  tone?: 'warn' | 'run' | undefined;
  children: ReactNode;
}

export function FieldsFor({ legend, reason, tone = 'warn', children }: FieldsForProps) {
  return (
    <>
      {reason !== undefined && (
        <Notice tone={tone} isLive>
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
