/** The element around a form's fields: no browser bubbles, ⌘Enter or Ctrl+Enter submits, and leaving with changes asks. */
import type { KeyboardEvent, ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { UnsavedGuard } from '#lib/UnsavedGuard.tsx';
import type { ApiForm } from './use-api-form.ts';

export interface FormProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  /** False in dialogs, where closing is no leaving of the page. */
  hasGuard?: boolean;
  className?: string;
  label?: string;
  children: ReactNode;
}

export function Form<Values extends FieldValues>({ form, hasGuard = true, className = 'stack stack-24', label, children }: FormProps<Values>) {
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    void form.submit();
  };
  return (
    <form id={form.id} className={className} aria-label={label} noValidate onKeyDown={onKeyDown} onSubmit={(event) => void form.submit(event)}>
      {children}
      {hasGuard && <UnsavedGuard isDirty={form.isDirty} isReleased={form.isReleased} />}
    </form>
  );
}
