/** The details of a delivery: request, response and duration of each attempt, and resending. */
import {
  webhookDeliveryResend,
  webhookDeliveryView,
  type WebhookDeliveryDetails,
  type WebhookTry,
} from '@slipway/contract/registry/webhook.ts';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Copy, useCopy } from '@slipway/ui/text/Copy.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { exactTime } from '@slipway/ui/format/relative-time.ts';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { keepAnswer, useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { ListError } from '#kit/list/ListError.tsx';
import css from './DeliveryDetails.module.css';
import { curlOf, prettyBody } from './request-text.ts';
import { failureText, statusText, timingRows } from './webhook-labels.ts';

interface DeliveryParams {
  app: string;
  env: string;
  webhook: string;
  delivery: string;
}
/** Polls while attempts are pending, in case live updates are unavailable. */
const pendingPollMs = 2000;

export function DeliveryDetails({ params }: { params: DeliveryParams }) {
  const query = useQuery(webhookDeliveryView, { params: { ...params } }, { pollMs: pendingPollMs });
  const { data: delivery } = query;
  const [number, setNumber] = useState<number>();
  if (query.error && !delivery) return <ListError what="delivery" query={query} />;
  const shown = delivery?.attempts.find((attempt) => attempt.number === number) ?? delivery?.attempts[0];
  return (
    <Loading isLoading={!delivery} label="Loading the delivery" skeleton={<Skeleton height={160} />}>
      {delivery && (
        <div className="stack stack-12">
          <Head delivery={delivery} shown={shown} params={params} onChoose={setNumber} />
          <div className={css.sides}>
            <Request delivery={delivery} />
            {shown ? <Answer attempt={shown} /> : <p className="meta">The first try is still to come.</p>}
          </div>
        </div>
      )}
    </Loading>
  );
}

interface HeadProps {
  delivery: WebhookDeliveryDetails;
  shown: WebhookTry | undefined;
  params: DeliveryParams;
  onChoose: (number: number) => void;
}
function Head({ delivery, shown, params, onChoose }: HeadProps) {
  const { attempts, maxTries, nextTryAt, request } = delivery;
  const resend = useResend(params);
  const { outcome, copy } = useCopy();
  return (
    <div className={css.head}>
      {attempts.length > 1 && shown ? (
        <Select
          className={css.tries}
          aria-label="Try"
          options={attempts.map(({ number }) => ({ value: String(number), label: `Try ${number} of ${maxTries}` }))}
          value={String(shown.number)}
          onChange={(value) => onChoose(Number(value))}
        />
      ) : (
        <strong>{shown ? `Try ${shown.number} of ${maxTries}` : 'Not tried yet'}</strong>
      )}
      <span className="meta">
        {shown && exactTime(new Date(shown.at))}
        {nextTryAt !== null && (
          <>
            , next try <RelativeTime at={nextTryAt} />
          </>
        )}
      </span>
      <span className={css.id}>
        <code className="ell">{delivery.id}</code>
        <Copy text={delivery.id} what="delivery id" />
      </span>
      <span className={css.buttons}>
        <Button
          size="sm"
          icon={<RotateCw aria-hidden="true" />}
          isBusy={resend.isBusy}
          busyLabel="Sending"
          onClick={() => void resend.send()}
          {...disabledUnless(delivery.can, 'resend')}
        >
          Send again now
        </Button>
        <Button size="sm" variant="quiet" onClick={() => void copy(curlOf(request))}>
          {{ idle: 'Copy as curl', copied: 'Copied', failed: 'Could not copy' }[outcome]}
        </Button>
      </span>
    </div>
  );
}

const useResend = (params: DeliveryParams) => {
  const write = useWrite(webhookDeliveryResend);
  return {
    isBusy: write.isBusy,
    send: async (): Promise<void> => {
      try {
        await keepAnswer(webhookDeliveryView, { params: { ...params } }, await write.send({ params: { ...params } }));
        await refresh({ kind: 'webhook', app: params.app });
      } catch (error) {
        toastError('The delivery was not sent again', error);
      }
    },
  };
};

function Headers({ headers }: { headers: readonly { name: string; value: string }[] }) {
  return headers.map(({ name, value }) => (
    <span key={name} className={css.header}>
      <span className={css.name}>{name}:</span> {/^authorization$/i.test(name) ? '•••••••• set, hidden' : value}
      {'\n'}
    </span>
  ));
}

function Request({ delivery: { request } }: { delivery: WebhookDeliveryDetails }) {
  const body = prettyBody(request.body);
  return (
    <section className="stack stack-8" aria-label="Request">
      <div className={css.title}>
        <h4>Request</h4>
        <span className="meta">{bytes(request.sizeBytes)}</span>
        <Copy text={request.body} what="request body" />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and a keyboard must be able to */}
      <pre className={css.text} tabIndex={0} aria-label="Request as it was sent">
        {request.method} {new URL(request.url).pathname}
        {'\n'}
        <Headers headers={request.headers} />
        {'\n'}
        {body}
      </pre>
    </section>
  );
}

function Answer({ attempt }: { attempt: WebhookTry }) {
  const { status, headers, body, isBodyCut, address, certificateUntil, timings } = attempt;
  const failure = failureText(attempt);
  return (
    <section className="stack stack-8" aria-label="Answer">
      <div className={css.title}>
        <h4>Answer</h4>
        {isBodyCut && <span className="meta">first 512 bytes</span>}
        {body !== '' && <Copy text={body} what="answer" />}
      </div>
      {failure !== undefined && (
        <p className={css.failure}>
          <StatusIcon tone="bad" /> {failure}
        </p>
      )}
      {status !== null && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and a keyboard must be able to
        <pre className={css.text} tabIndex={0} aria-label="Answer as it came">
          {statusText(status)}
          {'\n'}
          <Headers headers={headers} />
          {body !== '' && `\n${prettyBody(body)}`}
        </pre>
      )}
      <KeyValue
        items={[
          ...(address === null ? [] : [{ label: 'Address', value: <code>{address}</code> }]),
          ...(certificateUntil === null
            ? []
            : [
                {
                  label: 'Certificate',
                  value: (
                    <>
                      good until <RelativeTime at={certificateUntil} isShort />
                    </>
                  ),
                },
              ]),
          ...timingRows(timings),
        ]}
      />
    </section>
  );
}
