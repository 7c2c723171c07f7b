/** The form element around the fields: no browser validation bubbles, ⌘Enter or Ctrl+Enter submits, unsaved changes are guarded. */
import { useEffect, useEffectEvent, useRef, type ReactNode, type SubmitEvent } from 'react';
import type { FieldValues } from 'react-hook-form';
import { DialogError } from '#kit/error/DialogError.tsx';
import { useStore } from '#kit/state/store.ts';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import type { ApiForm } from './use-api-form.ts';

export interface FormProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  /** True to ask before unsaved changes are lost. */
  hasGuard?: boolean;
  /** Shows errors inside the form, since the dialog covers the page. Closing the dialog does not count as leaving. */
  isInDialog?: boolean;
  /** True to focus the first field when the page opens. */
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
    // React bubbles the submit of a dialog's form to this one, although the DOM does not nest them.
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
