/** The plan of what is taken, in order, with the fields for secret values, and the button. */
import type { AppPromotion } from '@slipway/contract/promotion.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Rocket } from 'lucide-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import { useFreezeOverride } from '#entities/plan/FreezeOverride.tsx';
import { DialogError } from '#kit/error/DialogError.tsx';
import { kindLabels, rowId, textsFor, valueId, type ChosenPart } from './promotion-choice.ts';
import css from './PromotionPlan.module.css';
import type { PromoteApp } from './use-promote-app.ts';

/** ⌘Enter or Ctrl+Enter presses the button. */
const usePromoteKey = (promote: () => void): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    promote();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};

function SecretFields({ part: { row, part, missing }, state }: { part: ChosenPart; state: PromoteApp }) {
  const keys = row.missingKeys.filter((key) => missing.includes(key) || part.entries?.some((entry) => entry.key === key));
  return keys.map((key) => {
    const id = valueId(row, key);
    return (
      <Field
        key={key}
        label={`${key} in production`}
        error={state.areValuesAsked && missing.includes(key) && 'Enter the value for production, or clear the checkbox of the key'}
      >
        <Input
          type="password"
          isMono
          autoComplete="new-password"
          value={state.values.get(id) ?? ''}
          onChange={(event) => state.type(id, event.target.value)}
        />
      </Field>
    );
  });
}

function Part({ part, state }: { part: ChosenPart; state: PromoteApp }) {
  const { row } = part;
  return (
    <li>
      <div className="stack stack-8">
        <div>
          <strong>
            {kindLabels[row.kind]} {row.name}
          </strong>
          {textsFor(state.planned, part, 'consequences').map((text) => (
            <div key={text} className="meta">
              {text}
            </div>
          ))}
        </div>
        {textsFor(state.planned, part, 'warnings').map((text) => (
          <Notice key={text} tone="warn">
            {text}
          </Notice>
        ))}
        <SecretFields part={part} state={state} />
      </div>
    </li>
  );
}

/** A freeze is about services alone. */
const frozenReason = (chosen: readonly ChosenPart[]): string =>
  chosen.every(({ row }) => row.kind === 'service') ? 'Production is frozen' : 'Services are frozen. Clear them to promote the rest';

export function PromotionPlan({ app, view, state }: { app: string; view: AppPromotion; state: PromoteApp }) {
  const { chosen, planned, failure, isBusy } = state;
  const isFailed = view.latest?.state === 'FAILED' || view.latest?.state === 'CANCELED';
  const panel = useRef<HTMLElement>(null);
  const freeze = useFreezeOverride(planned?.plan.freeze, view.approvingTeam !== null);
  const reason = chosen.length === 0 ? 'Select what to promote' : freeze.disabledReason && frozenReason(chosen);
  const promote = (): void => {
    if (reason !== undefined || isBusy) return;
    flushSync(() => void state.promote(freeze.override));
    panel.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  };
  usePromoteKey(promote);
  return (
    <Panel ref={panel} aria-labelledby="one-plan">
      <PanelHead title="One plan" titleId="one-plan" note={chosen.length > 0 && 'in this order'} />
      {chosen.length > 0 && (
        <ol className={css.plan}>
          {chosen.map((part) => (
            <Part key={rowId(part.row)} part={part} state={state} />
          ))}
        </ol>
      )}
      <PanelBody className="stack stack-12">
        {freeze.field}
        {failure !== undefined && <DialogError error={failure} />}
        <div>
          <Button
            // After a failure, Continue is the main action.
            variant={isFailed ? 'default' : 'primary'}
            icon={<Rocket aria-hidden="true" />}
            isBusy={isBusy}
            busyLabel={`Promoting ${app}`}
            disabledReason={reason}
            reasonPlacement="below"
            onClick={promote}
          >
            {freeze.isNeeded ? 'Override the freeze and promote' : 'Promote to production'}
          </Button>
        </div>
        {reason === undefined && (
          <p className="meta">
            Stops at the first part that fails. What was promoted before stays; the rest is not started, and you can continue.
            {view.approvingTeam !== null && ` Services wait for the approval of a second person of ${view.approvingTeam}.`}
          </p>
        )}
      </PanelBody>
    </Panel>
  );
}
