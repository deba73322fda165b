/** How large the buffer for the proxy's answers is; an ingress controller's own default is 4k. */
export type BufferSize = '4k' | '16k';

const FORWARDED = `
      proxy_set_header Host $http_host;
      proxy_set_header X-Real-IP $remote_addr;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;`;

/**
 * nginx as an ingress controller would configure it: the proxy's own ingress, the identity provider, and a service with the
 * three annotations. Host names are those of the tests; addresses are of this machine only.
 */
export const nginxConf = (folder: string, buffer: BufferSize): string => `
${surroundings(folder)}
${ownIngresses(buffer)}
${SERVICE}
}
`;

const surroundings = (folder: string): string => `
load_module /usr/lib/nginx/modules/ndk_http_module.so;
load_module /usr/lib/nginx/modules/ngx_http_set_misc_module.so;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log warn;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${folder}/temp;
  proxy_temp_path ${folder}/temp;
  fastcgi_temp_path ${folder}/temp;
  uwsgi_temp_path ${folder}/temp;
  scgi_temp_path ${folder}/temp;
  ssl_certificate ${folder}/hosts.crt;
  ssl_certificate_key ${folder}/hosts.key;
  large_client_header_buffers 4 16k;`;

const ownIngresses = (buffer: BufferSize): string => `
  # A controller resolves the host of auth-url itself.
  upstream auth.lab.test { server 127.0.0.1:443; }
  server {
    listen 127.0.0.1:443 ssl;
    server_name auth.lab.test;
    location / {${FORWARDED}
      proxy_buffering off;
      proxy_buffer_size ${buffer};
      proxy_buffers 4 ${buffer};
      proxy_pass http://127.0.0.1:4180;
    }
  }
  server {
    listen 127.0.0.1:443 ssl;
    server_name idp.lab.test;
    location / {${FORWARDED}
      proxy_buffer_size 64k;
      proxy_buffers 4 64k;
      proxy_pass http://127.0.0.1:9000;
    }
  }`;

const SERVICE = `
  server {
    listen 127.0.0.1:443 ssl;
    server_name app.lab.test;
    location = /_external-auth {
      internal;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header Host auth.lab.test;
      proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
      proxy_set_header X-Original-Method $request_method;
      proxy_set_header X-Real-IP $remote_addr;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_buffering off;
      proxy_buffer_size 16k;
      proxy_buffers 4 16k;
      proxy_ssl_server_name on;
      proxy_http_version 1.1;
      set $target https://auth.lab.test/oauth2/auth;
      proxy_pass $target;
    }
    location @signin {
      internal;
      return 302 https://auth.lab.test/oauth2/start?rd=$scheme://$host$escaped_request_uri;
    }
    location / {
      auth_request /_external-auth;
      auth_request_set $user $upstream_http_x_auth_request_user;
      auth_request_set $email $upstream_http_x_auth_request_email;
      auth_request_set $token $upstream_http_x_auth_request_access_token;
      proxy_set_header X-Auth-Request-User $user;
      proxy_set_header X-Auth-Request-Email $email;
      proxy_set_header X-Auth-Request-Access-Token $token;
      proxy_set_header Host $http_host;
      set_escape_uri $escaped_request_uri $request_uri;
      error_page 401 = @signin;
      proxy_buffer_size 16k;
      proxy_buffers 4 16k;
      proxy_pass http://127.0.0.1:9001;
    }
  }`;
