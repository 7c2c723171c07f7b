/** A form in a dialog: the way out, the button that sends it, and what failed, inside. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog, type DialogProps } from '@slipway/ui/overlay/Dialog.tsx';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Form } from './Form.tsx';
import type { ApiForm } from './use-api-form.ts';

export interface FormDialogProps<Values extends FieldValues> extends Pick<DialogProps, 'size'> {
  form: ApiForm<Values>;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** Of the form, for those who do not see it; the title, unless said. */
  label?: string;
  /** The verb and the thing: "Save members". */
  submitLabel: string;
  /** While it runs, without the dots. */
  busyLabel: string;
  /** The way out: "Keep Cranes". */
  keepLabel?: string;
  /** Beside the buttons. */
  footNote?: ReactNode;
  children: ReactNode;
}

export function FormDialog<Values extends FieldValues>(props: FormDialogProps<Values>) {
  const {
    form,
    onClose,
    title,
    description,
    label = title,
    submitLabel,
    busyLabel,
    keepLabel = 'Cancel',
    footNote,
    size,
    children,
  } = props;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isBusy={form.isBusy}
      size={size}
      title={title}
      description={description}
      footNote={footNote}
      actions={
        <>
          <Button onClick={onClose}>{keepLabel}</Button>
          <Button type="submit" form={form.id} variant="primary" isBusy={form.isBusy} busyLabel={busyLabel}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <Form form={form} isInDialog label={label}>
        {children}
      </Form>
    </Dialog>
  );
}
