/**
 * One complete message: time, position, key, headers and value. Masked fields are revealed for 30 seconds after the user enters a reason.
 */
import { messageLimits, topicMessageReveal, type MessagePart, type TopicMessage } from '@slipway/contract/streaming/message.ts';
import { RequiredText } from '@slipway/contract/kernel/fields.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { count } from '@slipway/ui/format/count.ts';
import { useWrite } from '#kit/api/write.ts';
import { Form } from '#kit/form/Form.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import type { TopicPlace } from '#features/streaming/use-place.ts';
import { keyText, messageKey } from './message-rows.ts';
import { Masked, MessageValue } from './MessageValue.tsx';

export interface MessageDetailProps {
  place: TopicPlace;
  message: TopicMessage;
  onNewer: (() => void) | undefined;
  onOlder: (() => void) | undefined;
  onClose: () => void;
}

const schemaLabel = ({ schema, sizeBytes }: MessagePart): string => {
  const size = sizeBytes === null ? '' : `, ${count(sizeBytes, 'byte')}`;
  if (!schema) return `no schema${size}`;
  return `${schema.name ?? `schema ${schema.registryId}`}${schema.revisionId === null ? '' : ` version ${schema.revisionId}`}${size}`;
};

/** Focus target when a message opens. */
export const messageId = 'open-message';

export function MessageDetail({ place, message, onNewer, onOlder, onClose }: MessageDetailProps) {
  const { partition, offset } = message;
  return (
    <Panel id={messageId} tabIndex={-1} aria-labelledby="message">
      <PanelHead title={`Partition ${partition}, offset ${offset}`} titleId="message">
        <IconButton
          size="sm"
          variant="quiet"
          label="Newer message"
          icon={<ChevronUp aria-hidden="true" />}
          disabledReason={onNewer ? undefined : 'This is the newest in the list'}
          onClick={onNewer}
        />
        <IconButton
          size="sm"
          variant="quiet"
          label="Older message"
          icon={<ChevronDown aria-hidden="true" />}
          disabledReason={onOlder ? undefined : 'This is the oldest in the list'}
          onClick={onOlder}
        />
        {/* The copied text stays masked, even while values are revealed. */}
        <Copy text={JSON.stringify(message, undefined, 2)} what="as JSON, masked" />
        <IconButton size="sm" variant="quiet" label="Close message" icon={<X aria-hidden="true" />} onClick={onClose} />
      </PanelHead>
      {/* The buttons stay mounted when the user moves between messages. Revealed values of the previous message do not. */}
      <Content key={messageKey(message)} place={place} message={message} />
    </Panel>
  );
}

function Content({ place, message }: Pick<MessageDetailProps, 'place' | 'message'>) {
  const [revealed, setRevealed] = useState<{ message: TopicMessage; until: number }>();
  useEffect(() => {
    if (!revealed) return;
    const timer = setTimeout(() => setRevealed(undefined), revealed.until - Date.now());
    return () => clearTimeout(timer);
  }, [revealed]);
  const { at, isTest } = message;
  const { key, headers, value } = revealed?.message ?? message;
  const isHidden = [message.key, message.value].some(({ state, masked }) => state === 'MASKED' || masked.length > 0);
  return (
    <>
      <PanelBody>
        <KeyValue
          items={[
            {
              label: 'Time',
              value: <span className="num">{new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })}</span>,
            },
            {
              label: 'Key',
              value: key.state === 'MASKED' ? <Masked classification={key.masked[0]?.classification} /> : <code>{keyText(key)}</code>,
            },
            { label: 'Value', value: schemaLabel(value) },
            {
              label: 'Headers',
              value: headers.length === 0 ? 'None' : headers.map((header) => `${header.name}: ${header.value ?? '–'}`).join(', '),
            },
            ...(isTest ? [{ label: 'Test', value: 'Produced by the console' }] : []),
          ]}
        />
      </PanelBody>
      <Value part={value} />
      {isHidden && (
        <PanelBody>
          {revealed ? (
            <Shown until={revealed.until} onHide={() => setRevealed(undefined)} />
          ) : (
            <Reveal
              place={place}
              message={message}
              onRevealed={(read) => setRevealed({ message: read, until: Date.now() + messageLimits.revealSeconds * 1000 })}
            />
          )}
        </PanelBody>
      )}
    </>
  );
}

function Value({ part }: { part: MessagePart }) {
  if (part.state === 'EMPTY') return <PanelBody>No value: a tombstone, which takes its key out of a compacted topic.</PanelBody>;
  if (part.state === 'MASKED')
    return (
      <PanelBody>
        <Masked classification={part.masked[0]?.classification} />
      </PanelBody>
    );
  if (part.state === 'UNREADABLE') {
    return (
      <PanelBody className="stack stack-12">
        <Notice tone="warn">
          <strong>No schema can read it{part.sizeBytes === null ? '' : `, ${count(part.sizeBytes, 'byte')}`}.</strong> {part.reason}
        </Notice>
        <code>{part.hex}</code>
      </PanelBody>
    );
  }
  return <MessageValue part={part} />;
}

const secondsLeft = (until: number, now: number): number => Math.max(0, Math.ceil((until - now) / 1000));

function Shown({ until, onHide }: { until: number; onHide: () => void }) {
  const left = useNow((now) => secondsLeft(until, now), true);
  return (
    <div className="row">
      <span className="meta num">Masked again in {left} s. This reading is recorded.</span>
      <Button size="sm" className="push" onClick={onHide}>
        Hide
      </Button>
    </div>
  );
}

const schema = z.object({ reason: RequiredText.check(z.minLength(10, { error: 'MinimumLength' })) });
const tooShort = 'Write at least ten characters: why do you need it?';

function Reveal({ place, message, onRevealed }: { place: TopicPlace; message: TopicMessage; onRevealed: (message: TopicMessage) => void }) {
  const reveal = useWrite(topicMessageReveal);
  const { partition, offset, value } = message;
  const form = useApiForm({
    schema,
    defaultValues: { reason: '' },
    labels: { reason: 'Why do you need what is masked?' },
    messages: { Required: tooShort, MinimumLength: tooShort },
    onSubmit: async ({ reason }) => onRevealed(await reveal.send({ params: { ...place }, body: { partition, offset, reason } })),
  });
  const fields = value.masked.length === 0 ? 'it' : count(value.masked.length, 'field');
  return (
    <Form form={form} hasGuard={false} className="stack stack-12" label="Show what is masked">
      <TextField
        form={form}
        name="reason"
        maxLength={500}
        hint={`Shown for ${messageLimits.revealSeconds} s. Your name and reason go into the activity log.`}
      />
      <div>
        <Button type="submit" isBusy={form.isBusy} busyLabel="Reading">
          Show {fields} for {messageLimits.revealSeconds} s
        </Button>
      </div>
    </Form>
  );
}
