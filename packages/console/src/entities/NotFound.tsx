/** The 404 page: names the missing resource and links to the nearest existing ones. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Suspense } from 'react';
import { useParams } from 'react-router';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import css from './NotFound.module.css';
import { notFoundText } from './not-found-text.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { Crumbs } from '@slipway/ui/layout/Crumbs.tsx';
import { useCrumbs } from '#kit/page/crumbs.ts';
import { lazyPart } from '#kit/later/lazy-part.ts';
import { usePageTitle } from '#kit/page/page-title.ts';

const DidYouMean = lazyPart(
  async () => (await import('./DidYouMean.tsx')).DidYouMean,
  () => null,
);

export function NotFound() {
  const params = useParams();
  const { kind, title, text, links } = notFoundText(params);
  const crumbs = useCrumbs();
  const { supportUrl } = runtimeConfig();
  usePageTitle(['Not found']);
  return (
    <>
      {crumbs && (
        <div className={css.crumbs}>
          <div className="wrap">
            <Crumbs items={crumbs} />
          </div>
        </div>
      )}
      <PageBody>
        <section className={css.panel} aria-labelledby="not-found">
          <Sea />
          <div className={css.words}>
            <p className={css.code}>404</p>
            <h1 id="not-found">{title}</h1>
            <p className="quiet">{text}</p>
            <Suspense>
              <DidYouMean kind={kind} params={params} />
            </Suspense>
            <div className="row row-wrap">
              {links.map(({ label, href }, index) => (
                <LinkButton key={href} href={href} variant={index === 0 ? 'primary' : 'default'}>
                  {label}
                </LinkButton>
              ))}
              {supportUrl !== '' && (
                <LinkButton href={supportUrl} target="_blank" rel="noreferrer" variant="quiet">
                  Contact support
                </LinkButton>
              )}
            </div>
          </div>
        </section>
      </PageBody>
    </>
  );
}

/** Decoration: the sea of a nautical chart with a mark on it. */
function Sea() {
  return (
    <svg className={css.sea} viewBox="0 0 1200 180" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <path className={css.shallow} d="M-20 103C180 112 330 96 520 98S820 74 960 72s260 14 440 14v100H-20z" />
      <path className={css.deep} d="M-20 131c240-8 300 2 460-13s230-16 380 1 300 9 560 16v70H-20z" />
      <g className={css.soundings}>
        <text x="140" y="70">
          2
        </text>
        <text x="360" y="118">
          5
        </text>
        <text x="830" y="112">
          4
        </text>
        <text x="1020" y="158">
          9
        </text>
        <text x="560" y="165">
          11
        </text>
      </g>
      <g className={css.mark} transform="translate(690 40)">
        <path d="M0 44V14M-16 44h32" />
        <path d="m-6 0 12 12M6 0-6 12" />
      </g>
    </svg>
  );
}
