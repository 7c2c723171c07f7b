// Label, control, hint, error and previous value in one component. Controls inside get their ids from it, so pages never set ARIA
// attributes by hand.
import type { ReactNode } from 'react';
import { createContext, use, useId, useMemo } from 'react';
import { classNames } from '../class-names.ts';
import css from './Field.module.css';
import { StatusIcon } from '../feedback/StatusIcon.tsx';

interface FieldContextValue {
  id: string;
  describedBy?: string;
  isInvalid: boolean;
  isChanged: boolean;
}

const FieldContext = createContext<FieldContextValue | undefined>(undefined);

interface OwnAria {
  id?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean | 'true' | 'false' | 'grammar' | 'spelling';
}

/** Returns a control's attributes from the surrounding field. The control's own values win. */
export function useFieldControl(own: OwnAria) {
  const field = use(FieldContext);
  return {
    id: own.id ?? field?.id,
    'aria-describedby': classNames(field?.describedBy, own['aria-describedby']),
    'aria-invalid': own['aria-invalid'] ?? (field?.isInvalid || undefined),
    'data-changed': field?.isChanged || undefined,
  };
}

export interface FieldProps {
  label: ReactNode;
  /** Muted text after the label ("optional"). */
  labelNote?: ReactNode;
  hint?: ReactNode;
  /** Shown with a mark and associated with the control. */
  error?: ReactNode;
  /** The previous value ("was 768 MB, now 1 GB"). Also marks the control as changed. */
  was?: ReactNode;
  /** Restores the previous value. Its button is next to `was`. */
  onPutBack?: () => void;
  id?: string;
  /** True for several controls with a common label: renders a fieldset. */
  isGroup?: boolean;
  isLabelHidden?: boolean;
  className?: string;
  children: ReactNode;
}

/** The previous value with a button to restore it; also for controls without a `Field`. */
export function Was(props: Pick<FieldProps, 'id' | 'label' | 'onPutBack' | 'children'>) {
  return (
    <p className={css.was}>
      <span id={props.id}>{props.children}</span>
      {props.onPutBack !== undefined && (
        <button type="button" className={css.putBack} onClick={props.onPutBack}>
          Put back<span className="sr"> {props.label}</span>
        </button>
      )}
    </p>
  );
}

export function Field(props: FieldProps) {
  const { label, labelNote, hint, error, was, isGroup = false, isLabelHidden = false, className, children } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  const hasError = error !== undefined && error !== null && error !== '' && error !== false;
  const hasHint = hint !== undefined && hint !== null;
  const describedBy = classNames(hasError && `${id}-error`, was !== undefined && `${id}-was`, hasHint && `${id}-hint`);
  const isChanged = was !== undefined;
  const value = useMemo(() => ({ id, describedBy, isInvalid: hasError, isChanged }), [id, describedBy, hasError, isChanged]);
  const labelContent = (
    <>
      {label}
      {labelNote !== undefined && <span className={css.note}>{labelNote}</span>}
    </>
  );
  const labelClass = classNames(css.label, isLabelHidden && 'sr');
  const notes = (
    <>
      {hasError && (
        <p className={css.error} id={`${id}-error`}>
          <StatusIcon tone="bad" className={css.mark} />
          <span>{error}</span>
        </p>
      )}
      {isChanged && (
        <Was id={`${id}-was`} label={label} onPutBack={props.onPutBack}>
          {was}
        </Was>
      )}
      {hasHint && (
        <p className={css.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </>
  );
  if (isGroup) {
    return (
      <fieldset className={classNames(css.field, className)} aria-describedby={describedBy}>
        <legend className={labelClass}>{labelContent}</legend>
        {children}
        {notes}
      </fieldset>
    );
  }
  return (
    <FieldContext value={value}>
      <div className={classNames(css.field, className)}>
        <label className={labelClass} htmlFor={id}>
          {labelContent}
        </label>
        {children}
        {notes}
      </div>
    </FieldContext>
  );
}
