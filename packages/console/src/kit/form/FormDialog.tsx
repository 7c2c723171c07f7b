/** A form in a dialog, with cancel and submit buttons and its errors. */
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
  /** Accessible name of the form. Defaults to the title. */
  label?: string;
  /** Verb and object: "Save members". */
  submitLabel: string;
  /** Label while the request runs, without the dots. */
  busyLabel: string;
  /** Label of the cancel button: "Keep Cranes". */
  keepLabel?: string;
  /** Shown beside the buttons. */
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
