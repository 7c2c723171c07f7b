/** A form that is what its page is for: its fields, what stands beside them, and at the foot the button that sends it and the way out. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Kbd } from '@slipway/ui/text/Kbd.tsx';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Form, type FormProps } from './Form.tsx';
import css from './PageForm.module.css';

export interface PageFormProps<Values extends FieldValues> extends Omit<FormProps<Values>, 'isInDialog' | 'label'> {
  /** Of the form, for those who do not see it. */
  label: string;
  /** The verb and the thing: "Create team". */
  submitLabel: string;
  /** While it runs, without the dots. */
  busyLabel: string;
  /** Why it cannot be sent. */
  disabledReason?: string | undefined;
  cancelHref: string;
  /** At the side of the fields: what the form will make. With `null` the fields are as narrow as beside something. */
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
