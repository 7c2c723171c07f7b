/** The frame of secret forms. Renders only for users who may see secrets, in an existing environment. */
import type { ReactNode } from 'react';
import { PageError } from '#entities/PageError.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { SecretsNoRight } from '#features/secrets/SecretsNoRight.tsx';
import { useAppPlace } from '#entities/team/use-app-place.ts';

export interface SecretFormPageProps {
  name: string;
  lede: string;
  children: (place: { app: string; env: 'development' | 'production' }) => ReactNode;
}

export function SecretFormPage({ name, lede, children }: SecretFormPageProps) {
  const { app, env, query, isMember, noRight } = useAppPlace();
  if (env === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`app ${app}`} query={query} />;
  return (
    <PlainPage name={name} title={[name, app, env]} lede={lede}>
      {isMember === false && <SecretsNoRight noRight={noRight} />}
      {isMember && children({ app, env })}
    </PlainPage>
  );
}
