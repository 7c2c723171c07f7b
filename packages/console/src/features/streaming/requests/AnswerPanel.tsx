/** The answer to a request: approve or decline with a reason; after approval, revoke or give up the grant. Others see who decides. */
import type { TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useEffect, useRef } from 'react';
import { DialogError } from '#kit/error/DialogError.tsx';
import { operationVerb } from '#entities/streaming/grant-labels.ts';
import { useAnswer, type Answer } from './use-answer.ts';
import { useWhoItBreaks } from './who-it-breaks.ts';

export function AnswerPanel({ grant }: { grant: TopicGrant }) {
  const { reason, setReason, busy, failure, isMissing, answer } = useAnswer(grant);
  const broken = useWhoItBreaks(grant);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isMissing) field.current?.focus();
  }, [isMissing]);
  const { can, state, topic, account, operation, requestedBy } = grant;
  const isOpen = state === 'REQUESTED' && can['decide'] === true;
  const canRevoke = state === 'APPROVED' && can['revoke'] === true;
  const canWithdraw = can['withdraw'] === true;
  const button = (which: Answer, label: string, busyLabel: string, variant?: 'primary' | 'quiet') => (
    <Button variant={variant} isBusy={busy === which} busyLabel={busyLabel} onClick={() => void answer(which)}>
      {label}
    </Button>
  );
  return (
    <Panel aria-labelledby="answer">
      <PanelHead title={isOpen ? 'Your answer' : 'Answer'} titleId="answer" />
      <PanelBody className="stack stack-12">
        {!isOpen && state === 'REQUESTED' && <p className="dense">Members of {topic.team.displayName} decide.</p>}
        {(isOpen || canRevoke) && (
          <Field
            label="Reason"
            hint={`${requestedBy.displayName} reads this. Needed to ${isOpen ? 'decline' : 'take it back'}.`}
            error={isMissing ? 'Reason is required' : undefined}
          >
            <Textarea ref={field} rows={3} value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
          </Field>
        )}
        {canRevoke && (
          <div>
            <p className="meta strong">What taking it back stops</p>
            {broken === undefined && <p className="dense quiet">Looking who reads it</p>}
            {broken?.map((line) => (
              <p key={line} className="dense">
                {line}.
              </p>
            ))}
          </div>
        )}
        {failure !== undefined && <DialogError error={failure} />}
        <div className="row row-wrap">
          {isOpen && button('approve', `Approve ${operation === 'READ' ? 'reading' : 'writing'}`, 'Approving', 'primary')}
          {isOpen && button('decline', 'Decline', 'Declining')}
          {canRevoke && button('revoke', 'Take it back', 'Taking back')}
          {canWithdraw && button('withdraw', state === 'REQUESTED' ? 'Withdraw the request' : 'Give it up', 'Withdrawing', 'quiet')}
        </div>
        {isOpen && (
          <p className="meta">
            {account.applicationCode} may {operationVerb[operation]} it in a few seconds. You can take it back at any time.
          </p>
        )}
      </PanelBody>
    </Panel>
  );
}
