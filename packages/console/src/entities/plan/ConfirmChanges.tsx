/**
 * Asks for confirmation of a plan (a dry run's answer): the changes, their effect on running services, and the steps. Used for settings,
 * rollback, copies, YAML and deletion.
 */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { Button, type ButtonVariant } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode, type RefObject } from 'react';
import { DialogError } from '#kit/error/DialogError.tsx';
import { ApprovalField, useChangeRequest } from './Approval.tsx';
import { useFreezeOverride } from './FreezeOverride.tsx';
import { PlanDiff } from './PlanDiff.tsx';
import { PlanNotes } from './PlanNotes.tsx';

export interface ConfirmChangesProps {
  plan: Plan;
  /** "Review 3 changes". */
  title: string;
  /** The resource that changes, and its environment; production is marked. */
  subject: string;
  environment: Environment;
  /** "Apply to production". */
  confirmLabel: string;
  /** Label while the request runs, without the dots. */
  busyLabel?: string;
  keepLabel?: string;
  variant?: Extract<ButtonVariant, 'primary' | 'danger'>;
  /** If it throws, the dialog stays open and shows the error. It must catch errors that belong elsewhere (to fields) itself. */
  onConfirm: () => Promise<void>;
  /** Called after the approval of the change was requested instead. Defaults to `onClose`. */
  onRequested?: () => void;
  onClose: () => void;
  /** Shown before the changes: a reason to type, what is carried over. */
  children?: ReactNode;
  /** The field to focus if something must be filled in. Defaults to the cancel button. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** The button to focus after closing, if a URL may have opened the dialog. */
  finalFocus?: RefObject<HTMLElement | null>;
  /** Shown beside the buttons: "You can roll back to revision 35 afterwards." */
  footNote?: ReactNode;
}

/** `Apply to production` → `Override and apply to production` */
const overriding = (label: string): string => `Override and ${label.charAt(0).toLowerCase()}${label.slice(1)}`;

/** Submits with ⌘Enter or Ctrl+Enter in a text area, as in every form. */
const useSubmitKey = (submit: () => void): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || !(event.target instanceof HTMLTextAreaElement)) return;
    event.preventDefault();
    submit();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};

export function ConfirmChanges(props: ConfirmChangesProps) {
  const {
    plan,
    title,
    subject,
    environment,
    confirmLabel,
    busyLabel = 'Applying',
    keepLabel = 'Keep editing',
    variant = 'primary',
  } = props;
  const { approval } = plan;
  const request = useChangeRequest();
  const freeze = useFreezeOverride(plan.freeze, approval !== undefined);
  const [comment, setComment] = useState('');
  const keep = useRef<HTMLButtonElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const confirm = async (): Promise<void> => {
    if (freeze.disabledReason !== undefined) return;
    setBusy(true);
    setFailure(undefined);
    try {
      if (!(await freeze.override())) return;
      if (!approval) return await props.onConfirm();
      await request(approval, comment);
      (props.onRequested ?? props.onClose)();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  useSubmitKey(() => !isBusy && void confirm());
  return (
    <Dialog
      isOpen
      onClose={props.onClose}
      isBusy={isBusy}
      size="lg"
      hasClose
      title={title}
      description={
        <>
          {subject} in <strong>{environment}</strong>
        </>
      }
      initialFocus={props.initialFocus ?? keep}
      {...(props.finalFocus ? { finalFocus: props.finalFocus } : {})}
      {...(props.footNote === undefined ? {} : { footNote: props.footNote })}
      actions={
        <>
          <Button ref={keep} onClick={props.onClose} {...(isBusy ? { disabledReason: 'It has begun' } : {})}>
            {keepLabel}
          </Button>
          <Button
            variant={approval ? 'primary' : variant}
            isBusy={isBusy}
            busyLabel={approval ? 'Requesting' : busyLabel}
            onClick={() => void confirm()}
            {...(freeze.disabledReason === undefined ? {} : { disabledReason: freeze.disabledReason })}
          >
            {approval ? 'Request approval' : freeze.isNeeded ? overriding(confirmLabel) : confirmLabel}
          </Button>
        </>
      }
    >
      {failure !== undefined && <DialogError error={failure} />}
      {props.children}
      {plan.changes.length > 0 && <PlanDiff changes={plan.changes} />}
      {/* The dialog's head already shows the environment. */}
      <PlanNotes plan={plan} hiddenCodes={['ProductionChange']} />
      {freeze.field}
      {approval && <ApprovalField approval={approval} comment={comment} onComment={setComment} />}
    </Dialog>
  );
}
