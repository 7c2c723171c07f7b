/** The element around a form's fields: no browser bubbles, ⌘Enter or Ctrl+Enter submits, and leaving with changes asks. */
import { useEffect, useEffectEvent, useRef, type ReactNode, type SubmitEvent } from 'react';
import type { FieldValues } from 'react-hook-form';
import { DialogError } from '#kit/error/DialogError.tsx';
import { useStore } from '#kit/state/store.ts';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import type { ApiForm } from './use-api-form.ts';

export interface FormProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  /** Whether leaving with changes asks. */
  hasGuard?: boolean;
  /** What failed is said inside, since the page is covered; closing is no leaving of the page. */
  isInDialog?: boolean;
  /** Puts the cursor into the first field when the page opens. */
  startsFocused?: boolean;
  className?: string;
  label?: string;
  children: ReactNode;
}

export function Form<Values extends FieldValues>(props: FormProps<Values>) {
  const { form, isInDialog = false, hasGuard = !isInDialog, startsFocused = false, className = 'stack stack-24', label, children } = props;
  const element = useRef<HTMLFormElement>(null);
  const submitByKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    void form.submit();
  });
  useEffect(() => {
    const { current } = element;
    current?.addEventListener('keydown', submitByKey);
    return () => current?.removeEventListener('keydown', submitByKey);
  }, []);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    // A dialog's own form lies within this one for React, not for the page.
    if (event.target === event.currentTarget) void form.submit(event);
  };
  const failure = useStore(form.failure);
  const { showsErrors } = form;
  useEffect(() => showsErrors.set(isInDialog), [showsErrors, isInDialog]);
  useEffect(() => {
    if (startsFocused) element.current?.querySelector('input')?.focus();
  }, [startsFocused]);
  return (
    <form ref={element} id={form.id} className={className} aria-label={label} noValidate onSubmit={submit}>
      {children}
      {failure !== undefined && <DialogError error={failure} />}
      {hasGuard && <UnsavedGuard isDirty={form.isDirty} isReleased={form.isReleased} />}
    </form>
  );
}
