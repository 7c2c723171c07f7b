/** The page around a form of secrets: only for those who may see them, in an environment that there is. */
import type { ReactNode } from 'react';
import { PageError } from '#lib/LoadError.tsx';
import { NotFound } from '#lib/NotFound.tsx';
import { PageBody } from '#lib/PageBody.tsx';
import { PageHeader } from '#lib/PageHeader.tsx';
import { SecretsNoRight } from './SecretsNoRight.tsx';
import { useSecretPlace } from './use-secret-place.ts';

export interface SecretFormPageProps {
  name: string;
  lede: string;
  children: (place: { app: string; env: 'development' | 'production' }) => ReactNode;
}

export function SecretFormPage({ name, lede, children }: SecretFormPageProps) {
  const { app, env, query, isMember, noRight } = useSecretPlace();
  if (env === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`app ${app}`} query={query} />;
  return (
    <>
      <PageHeader isList hasSkip={false} name={name} lede={lede} />
      <PageBody>
        {isMember === false && <SecretsNoRight noRight={noRight} />}
        {isMember && children({ app, env })}
      </PageBody>
    </>
  );
}
