/** Suggests entries of the catalog for an app that is not linked yet. One click links them. */
import { applicationMacIdSet, applicationView, type Application } from '@slipway/contract/application.ts';
import { catalogEntrySuggestionList } from '@slipway/contract/catalog/suggestion.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { paths } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { keepAnswer, useQuery } from '#kit/api/query.ts';
import { reportError } from '#kit/error/global-error.ts';

export function MacIdSuggestions({ app }: { app: Application }) {
  const isAsked = app.macId === null && app.can['setMacId'] === true;
  const { data = [] } = useQuery(catalogEntrySuggestionList, isAsked && { params: { app: app.id } }, { pollMs: 0 });
  const [linking, setLinking] = useState<string>();
  if (!isAsked || data.length === 0) return null;
  const link = async (macId: string, name: string): Promise<void> => {
    setLinking(macId);
    try {
      const answer = await call(applicationMacIdSet, { params: { app: app.id }, body: { macId } });
      await keepAnswer(applicationView, { params: { app: app.id } }, answer);
      toast.success(`${app.id} is linked to ${name}`);
    } catch (error) {
      reportError(error);
    } finally {
      setLinking(undefined);
    }
  };
  return (
    <Notice>
      <p>This app is not in the catalog yet. Is it one of these entries? A link cannot be changed later.</p>
      <ul className="stack stack-8">
        {data.map(({ applicationId, applicationName, platformName }) => (
          <li key={applicationId} className="row row-wrap">
            <Link href={paths.catalogEntry({ kind: 'application', id: applicationId })}>{applicationName}</Link>
            <code className="quiet">{applicationId}</code>
            {platformName !== null && <span className="quiet">{platformName}</span>}
            <Button
              size="sm"
              aria-label={`Link ${applicationName}`}
              isBusy={linking === applicationId}
              busyLabel="Linking"
              onClick={() => void link(applicationId, applicationName)}
            >
              Link
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
