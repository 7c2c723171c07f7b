/** One image: vulnerabilities, layers, packages, referrers, and the revisions that ran it. */
import { imageTagView, type ImageDetail } from '@slipway/contract/registry/images.ts';
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { useParams, type Params } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { preloadQuery, useQuery } from '#kit/api/query.ts';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { MissingPart } from '#kit/page/MissingPart.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { imageParams, type ImageRef } from '#features/registry/ScanStatus.tsx';
import { useRegistry, type Registry } from '#features/registry/use-registry.ts';
import { AllowedPanel } from './AllowedPanel.tsx';
import { ImageHeader } from './ImageHeader.tsx';
import { LayersPanel } from './LayersPanel.tsx';
import { PackagesPanel } from './PackagesPanel.tsx';
import { ReferrersPanel } from './ReferrersPanel.tsx';
import { RefusalCard } from './RefusalCard.tsx';
import { RunsPanel } from './RunsPanel.tsx';
import { VulnerabilitiesPanel } from './VulnerabilitiesPanel.tsx';

export function Component() {
  const { repository = '', tag = '' } = useParams();
  const shown = useRegistry();
  const { place, isPlace, isMember, noRight, query: project } = shown;
  const image: ImageRef = { ...place, repository, tag };
  const query = useQuery(imageTagView, isMember === true && isPlace && { params: imageParams(image) });
  usePageTitle([`${repository}:${tag}`, place.app, place.env]);
  if (!isPlace) return <NotFound />;
  if (isMember === false || (isStatus(project.error, 403, 404) && !query.data)) {
    return (
      <>
        <PageHeader isList hasSkip={false} typeLabel="Image" name={tag} />
        <PageBody>
          <MembersOnly label="Image" title="The registry is for members of the team">
            {noRight}
          </MembersOnly>
        </PageBody>
      </>
    );
  }
  if (isStatus(query.error, 404)) {
    return (
      <MissingPart
        title={`There is no image ${repository}:${tag}`}
        link={{ label: `Tags of ${repository}`, href: paths.repository(image) }}
      />
    );
  }
  if (query.error && !query.data) return <PageError what={`image ${repository}:${tag}`} query={query} />;
  return <Screen key={`${repository}:${tag}`} image={image} detail={query.data} shown={shown} />;
}

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env = '', repository = '', tag = '' }: Params): void =>
  preloadQuery(imageTagView, { params: imageParams({ app, env, repository, tag }) });

function Screen({ image, detail, shown }: { image: ImageRef; detail: ImageDetail | undefined; shown: Registry }) {
  const { registry, team } = shown;
  return (
    <>
      <ImageHeader image={image} detail={detail} team={team} />
      <EntityBar env={environmentOf(image.env) ?? 'development'} hrefOf={(env) => paths.image({ ...image, env })} />
      <PageBody padding="flush" className="stack stack-24">
        {detail?.refusal && <RefusalCard image={image} refusal={detail.refusal} registry={registry} />}
        <div className="split split-side">
          <div className="stack stack-24">
            <VulnerabilitiesPanel image={image} registry={registry} />
            {registry && <AllowedPanel place={shown.place} registry={registry} />}
            <PackagesPanel image={image} />
            {detail && <RunsPanel app={image.app} runs={detail.runs} />}
          </div>
          <div className="stack stack-24">
            <LayersPanel detail={detail} />
            <ReferrersPanel detail={detail} />
          </div>
        </div>
      </PageBody>
    </>
  );
}
