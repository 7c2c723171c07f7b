/** Fields of a form for those who may change them; everybody else reads them, with the reason above. */
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import type { ReactNode } from 'react';
import css from './FieldsFor.module.css';

export interface FieldsForProps {
  /** What they are, for those who do not see them. */
  legend: string;
  /** Why they cannot be changed. */
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
