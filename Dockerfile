# Built in one stage, run from another that has neither the sources nor the tools.
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY esbuild.config.mjs esbuild.pages.mjs tsconfig.json ./
COPY schema schema
COPY migrations migrations
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:20-slim
ENV NODE_ENV=production DATA_DIR=/data DRAIN_SECONDS=5
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/src/places/document/condition-report.docx src/places/document/
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Keeps memory that pictures and files have given back from staying with the process.
ENV MALLOC_ARENA_MAX=2
CMD ["node", "dist/src/main.js"]
