# Stands in for the official nginx image: its sites are the files of conf.d.
FROM tradewind-test/trixie
RUN rm /etc/nginx/sites-enabled/default && ln -sf /dev/stdout /var/log/nginx/access.log && ln -sf /dev/stderr /var/log/nginx/error.log
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]
