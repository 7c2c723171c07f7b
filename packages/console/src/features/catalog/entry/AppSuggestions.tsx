/** Suggests apps for an application that has none. Owners of an app's team link it with one click. */
import { applicationMacIdSet } from '@slipway/contract/application.ts';
import { catalogAppSuggestionList } from '@slipway/contract/catalog/suggestion.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reporting } from '#kit/error/global-error.ts';

export function AppSuggestions({ appId, reload }: { appId: string; reload: () => void }) {
  const { data = [] } = useQuery(catalogAppSuggestionList, { params: { appId } }, { pollMs: 0 });
  const write = useWrite(applicationMacIdSet);
  if (data.length === 0) return null;
  const link = reporting(async (app: string) => {
    await write.send({ params: { app }, body: { macId: appId } });
    toast.success(`${app} is linked`);
    reload();
  });
  return (
    <>
      <p>These apps have similar names:</p>
      <ul className="stack stack-8" aria-label="Suggested apps">
        {data.map(({ app, displayName, teamName, canLink }) => (
          <li key={app} className="row row-wrap">
            <Link href={paths.app({ app })}>{displayName}</Link>
            <span className="quiet">{teamName}</span>
            <Button
              size="sm"
              aria-label={`Link ${displayName}`}
              isBusy={write.isBusy}
              busyLabel="Linking"
              {...(canLink ? {} : { disabledReason: `Only owners of ${teamName} can link this app.` })}
              onClick={() => void link(app)}
            >
              Link
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
