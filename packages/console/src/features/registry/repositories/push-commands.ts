/** The commands that push an image by hand, for common clients. */

export const pushTools = ['docker', 'podman', 'skopeo'] as const;
export type PushTool = (typeof pushTools)[number];

export interface PushTarget {
  host: string;
  project: string;
  /** Path below the project. A placeholder if there is no repository yet. */
  repository?: string | undefined;
  /** The registry has no TLS, as on a local machine. Docker accepts that for localhost; other clients need a flag. */
  isPlain: boolean;
}

export const pushCommands = (tool: PushTool, { host, project, repository = 'SERVICE', isPlain }: PushTarget): readonly string[] => {
  const image = `${host}/${project}/${repository}:TAG`;
  // Single quotes, because a shell would expand the dollar sign.
  const user = `'robot$${project}+NAME'`;
  const plain = isPlain ? '--tls-verify=false ' : '';
  switch (tool) {
    case 'docker':
      return [`docker login ${host} -u ${user}`, `docker tag IMAGE ${image}`, `docker push ${image}`];
    case 'podman':
      return [`podman login ${plain}${host} -u ${user}`, `podman tag IMAGE ${image}`, `podman push ${plain}${image}`];
    case 'skopeo':
      return [
        `skopeo login ${plain}${host} -u ${user}`,
        `skopeo copy ${isPlain ? '--dest-tls-verify=false ' : ''}docker-daemon:IMAGE docker://${image}`,
      ];
  }
};
