/** The webhooks of an app's registry with their state, and the settings and delivery log of the chosen one. */
import { webhookList, type Webhook } from '@slipway/contract/registry/webhook.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useState } from 'react';
import { useParams } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { RegistryAction } from '#features/registry/RegistryAction.tsx';
import { useRegistry, type RegistryPlace } from '#features/registry/use-registry.ts';
import { SigningSecret, type MadeSigningSecret } from './SigningSecret.tsx';
import { WebhookDialog } from './WebhookDialog.tsx';
import { WebhookPanel } from './WebhookPanel.tsx';
import { eventWords, webhookLook } from './webhook-labels.ts';
import css from './WebhooksTab.module.css';

/** More than the limit per project. */
const most = 100;

export function Component() {
  const { place, registry } = useRegistry();
  return registry ? <Webhooks key={place.app} place={place} /> : null;
}

function Webhooks({ place }: { place: RegistryPlace }) {
  const { webhook: name } = useParams();
  const list = useQuery(webhookList, { params: { ...place }, query: { size: most } });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<MadeSigningSecret>();
  usePageTitle([name ?? 'Webhooks', place.app, place.env]);
  const webhooks = list.data?.content ?? [];
  const chosen = name === undefined ? webhooks[0] : webhooks.find((webhook) => webhook.name === name);
  const newButton = <Button onClick={() => setMaking(true)}>New webhook</Button>;
  return (
    <>
      <RegistryAction>{webhooks.length > 0 && newButton}</RegistryAction>
      {made && <SigningSecret made={made} onClose={() => setMade(undefined)} />}
      {list.data?.totalElements === 0 ? (
        <Panel aria-label="Webhooks">
          <EmptyState kind="first-use" level={2} title="No webhooks yet" actions={newButton}>
            A webhook sends signed JSON to an address of yours when an image is pushed, deleted or scanned, or the quota fills up.
          </EmptyState>
        </Panel>
      ) : (
        <div className={css.split}>
          <WebhookNav place={place} list={list} chosen={chosen} />
          {list.data &&
            (chosen ? (
              <WebhookPanel key={chosen.name} place={place} webhook={chosen} onSecret={setMade} />
            ) : (
              <Missing name={name ?? ''} place={place} />
            ))}
        </div>
      )}
      {isMaking && <WebhookDialog place={place} onClose={() => setMaking(false)} onMade={setMade} />}
    </>
  );
}

function Missing({ name, place }: { name: string; place: RegistryPlace }) {
  return (
    <Panel aria-label={name}>
      <EmptyState kind="no-match" level={2} title={`There is no webhook ${name}`}>
        It may have been deleted.{' '}
        <Link className="in" href={paths.containerRegistry(place, 'webhooks')}>
          Webhooks of {place.app}
        </Link>
      </EmptyState>
    </Panel>
  );
}

interface NavProps {
  place: RegistryPlace;
  list: ReturnType<typeof useQuery<typeof webhookList>>;
  chosen: Webhook | undefined;
}
function WebhookNav({ place, list, chosen }: NavProps) {
  const webhooks = list.data?.content ?? [];
  return (
    <Panel aria-labelledby="webhooks">
      <PanelHead title="Webhooks" titleId="webhooks" {...(list.data ? { note: String(webhooks.length) } : {})} />
      {list.error && !list.data ? (
        <ListError what="webhooks" query={list} />
      ) : (
        <Loading
          isLoading={!list.data}
          label="Loading webhooks"
          skeleton={
            <PanelBody>
              <Skeleton height={64} />
            </PanelBody>
          }
        >
          <nav aria-label="Webhooks">
            <ul className={css.list}>
              {webhooks.map((webhook) => (
                <WebhookItem key={webhook.name} place={place} webhook={webhook} isCurrent={webhook === chosen} />
              ))}
            </ul>
          </nav>
        </Loading>
      )}
    </Panel>
  );
}

function WebhookItem({ place, webhook, isCurrent }: { place: RegistryPlace; webhook: Webhook; isCurrent: boolean }) {
  const { tone, word } = webhookLook(webhook);
  return (
    <li>
      <Link className={css.item} href={paths.webhook({ ...place, webhook: webhook.name })} aria-current={isCurrent ? 'true' : undefined}>
        <span className={css.top}>
          <span className={css.name}>{webhook.name}</span>
          <Status tone={tone}>{word}</Status>
        </span>
        <span className="meta ell">{webhook.targetUrl}</span>
        <span className="meta">{eventWords(webhook.eventTypes)}</span>
      </Link>
    </li>
  );
}
