/** The form of a page that consists of one form: fields, an optional aside, and the submit and cancel buttons below. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Kbd } from '@slipway/ui/text/Kbd.tsx';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Form, type FormProps } from './Form.tsx';
import css from './PageForm.module.css';

export interface PageFormProps<Values extends FieldValues> extends Omit<FormProps<Values>, 'isInDialog' | 'label'> {
  /** Accessible name of the form. */
  label: string;
  /** Verb and object: "Create team". */
  submitLabel: string;
  /** Label while the request runs, without the dots. */
  busyLabel: string;
  /** Why submitting is disabled. */
  disabledReason?: string | undefined;
  cancelHref: string;
  /** Shown beside the fields: what the form will create. With `null` the fields keep the narrow width. */
  aside?: ReactNode;
}

export function PageForm<Values extends FieldValues>(props: PageFormProps<Values>) {
  const { submitLabel, busyLabel, disabledReason, cancelHref, aside, children, ...form } = props;
  const element = (
    <Form {...form}>
      {children}
      <div className={`row ${css.foot}`}>
        <Button type="submit" variant="primary" size="lg" isBusy={form.form.isBusy} busyLabel={busyLabel} disabledReason={disabledReason}>
          {submitLabel}
        </Button>
        <LinkButton href={cancelHref} variant="quiet" size="lg">
          Cancel
        </LinkButton>
        <span className="push only-wide">
          <Kbd keys="Mod Enter" />
        </span>
      </div>
    </Form>
  );
  if (aside === undefined) return element;
  return (
    <div className="split split-form">
      {element}
      {aside}
    </div>
  );
}
