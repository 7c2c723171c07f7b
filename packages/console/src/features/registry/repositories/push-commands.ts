/** The commands that push an image by hand, for the clients that people have. */

export const pushTools = ['docker', 'podman', 'skopeo'] as const;
export type PushTool = (typeof pushTools)[number];

export interface PushTarget {
  host: string;
  project: string;
  /** Below the project; a placeholder where there is none yet. */
  repository?: string | undefined;
  /** The registry answers without TLS, as on one's own machine: docker takes that of localhost, the others want to hear it. */
  isPlain: boolean;
}

export const pushCommands = (tool: PushTool, { host, project, repository = 'SERVICE', isPlain }: PushTarget): readonly string[] => {
  const image = `${host}/${project}/${repository}:TAG`;
  // In single quotes: a shell would take the dollar for a variable.
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
